package drover.opsagent.runtime.files;

import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Heartbeat;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.main.InstalledNode;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.main.RealProcessNode;
import drover.opsagent.main.ScriptedGateway;
import drover.opsagent.main.Waits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * An agent in a process of its own, on a node that a test has installed. It prints what it reports
 * of the program, then what becomes of an upgrade.
 */
public final class UnprivilegedAgentMain extends InstalledNode {
    private UnprivilegedAgentMain(Path directory) {
        this.directory = directory;
        state = directory.resolve("state");
        root = directory.resolve("root");
        oldProgram = directory.resolve("app-1");
        newProgram = directory.resolve("app-2");
    }

    /** The directory of the node. */
    public static void main(String[] args) throws IOException {
        new UnprivilegedAgentMain(Path.of(args[0])).upgradeOnce();
    }

    private void upgradeOnce() throws IOException {
        OpsAgentConfig config =
                RealProcessNode.config(
                        state, root, "unprivileged", "process", Duration.ofMillis(700));
        try (ScriptedGateway gateway = new ScriptedGateway("unprivileged")) {
            OpsAgent agent =
                    OpsAgent.start(
                            config, OpsAgent.Dependencies.local(DownloadPolicy.forLocalMachine()));
            printReport(gateway);
            agent.close();
        }
    }

    private void printReport(ScriptedGateway gateway) {
        await().atMost(Waits.LIMIT).until(() -> hasReportedRun(gateway));
        Heartbeat before = gateway.lastHeartbeat();
        System.out.println("running digest '" + before.getPrograms(0).getRunningDigest() + "'");
        before.getFindingsList().forEach(it -> System.out.println("finding " + it.getCode()));
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = gateway.end(1, Waits.LIMIT);
        System.out.println(
                status.getOutcome() + " " + status.getReason() + " " + status.getDetail());
        String run = before.getPrograms(0).getRunId();
        System.out.println(
                "same run " + gateway.lastHeartbeat().getPrograms(0).getRunId().equals(run));
    }

    private static boolean hasReportedRun(ScriptedGateway gateway) {
        return !gateway.heartbeats.isEmpty()
                && gateway.lastHeartbeat().getProgramsCount() == 1
                && !gateway.lastHeartbeat().getPrograms(0).getRunId().isEmpty();
    }
}
