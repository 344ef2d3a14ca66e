package drover.opsagent.main;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.selfupgrade.AgentCommandLine;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An agent as {@link OpsAgentMain} starts it, but for its disk: a {@link BlockingDisk} of the
 * directory that the property {@value #EXCHANGE} names. It is killed where it stands.
 */
final class BlockingAgentMain {
    static final String EXCHANGE = "drover.exchange";

    private BlockingAgentMain() {}

    /** Runs until another agent takes over, or tests itself as any other version does. */
    public static void main(String[] arguments) throws InterruptedException {
        if (List.of(arguments).contains(AgentCommandLine.SELF_TEST)) {
            OpsAgentMain.main(arguments);
            return;
        }
        AgentFlags flags = AgentFlags.of(arguments);
        Disk disk =
                new BlockingDisk(
                        LocalDisk.withJail(flags.rootDirectory(), flags.stateDirectory()),
                        Path.of(System.getProperty(EXCHANGE)));
        OpsAgent.Dependencies parts =
                OpsAgent.Dependencies.local(
                        disk,
                        DownloadPolicy.forLocalMachine(),
                        new AgentMetrics(),
                        RuntimeRegistry.builtIn(Map.of()));
        OpsAgent agent =
                OpsAgent.start(
                        flags.toConfig(), parts, AgentInstallationDetector.detect(flags, parts));
        Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "close"));
        agent.awaitStopRequested();
        System.exit(0);
    }
}
