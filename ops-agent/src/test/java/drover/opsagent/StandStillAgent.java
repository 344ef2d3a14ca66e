package drover.opsagent;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.own.AgentCommand;
import drover.opsagent.runtime.Runtimes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An agent as {@link OpsAgentMain} starts it, but for its disk: a {@link StandStillDisk} of the
 * directory that the property {@value #EXCHANGE} names. It is killed where it stands.
 */
final class StandStillAgent {
    static final String EXCHANGE = "drover.exchange";

    private StandStillAgent() {}

    /** Runs until another agent takes over, or tests itself as any other version does. */
    public static void main(String[] arguments) throws InterruptedException {
        if (List.of(arguments).contains(AgentCommand.SELF_TEST)) {
            OpsAgentMain.main(arguments);
            return;
        }
        AgentFlags flags = AgentFlags.of(arguments);
        Disk disk =
                new StandStillDisk(
                        LocalDisk.jailedIn(flags.root(), flags.state()),
                        Path.of(System.getProperty(EXCHANGE)));
        OpsAgent.Parts parts =
                OpsAgent.Parts.local(
                        disk,
                        DownloadPolicy.localMachine(),
                        new AgentMetrics(),
                        Runtimes.known(Map.of()));
        OpsAgent agent = OpsAgent.start(flags.config(), parts, OwnAgent.of(flags, parts));
        Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "close"));
        agent.awaitStopAsked();
        System.exit(0);
    }
}
