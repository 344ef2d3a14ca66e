package drover.opsagent.main;

import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.metrics.MetricsServer;
import drover.opsagent.selfupgrade.AgentCommandLine;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.SystemTicker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one agent as a process of its own until it is terminated or another agent takes over. Exit
 * codes: 0 another agent took over, 1 could not start, 2 wrong flags; 143 after SIGTERM.
 */
public final class OpsAgentMain {
    private static final Logger LOG = LoggerFactory.getLogger(OpsAgentMain.class);
    private static final Duration PORT_RELEASE_TIMEOUT =
            Duration.ofSeconds(30); // an agent closes within ten
    private static final String USAGE =
            "Usage: agent --gateway HOST:PORT,... --state DIR --root DIR"
                    + " [--join-token-file FILE --enrol-at HOST:PORT,... | --token-file FILE]"
                    + " [--reconnect-within SECONDS]"
                    + " [--allow-host HOST ...] [--allow-local]"
                    + " [--artifact-hosts FILE] [--download-rate RATE]"
                    + " [--metrics HOST:PORT] [--runtime NAME] [--runtimes DIR] [--set KEY=VALUE ...] [--policy FILE]\n"
                    + "   or: agent enroll --gateway HOST:PORT [--gateway ...] --token-file FILE --state DIR"
                    + " [--again]\n"
                    + "   or: agent rollback --state DIR --root DIR [--runtime NAME] [...]\n"
                    + "   or: agent --pin-trust --state DIR --root DIR --policy FILE\n"
                    + "   or: agent adopt --spec FILE --state DIR --root DIR [--version NAME] [--url URL]"
                    + " [--dry-run] [--runtime NAME] [...]\n"
                    + "   or: java -jar drover-agent.jar --prune-versions KEEP --state DIR\n"
                    + "An agent that runs from DIR/v1.2.3/drover-agent.jar can replace itself:"
                    + " [--successors process|systemd] [--handover-timeout SECONDS] [--self-test]";

    private OpsAgentMain() {}

    /** Starts the agent, or does the one thing that a flag asks for. */
    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        List<String> all = List.of(arguments);
        if (all.contains("--help")) {
            System.out.println(USAGE);
        } else if (all.equals(List.of("--version"))) {
            System.out.println("drover-agent " + SelfTestCommand.agentVersion());
        } else if (!all.isEmpty() && all.getFirst().equals(AdoptCommand.VERB)) {
            System.exit(runAdopt(all.subList(1, all.size())));
        } else if (!all.isEmpty() && all.getFirst().equals(EnrollCommand.VERB)) {
            System.exit(
                    runCommand(
                            all.subList(1, all.size()).toArray(String[]::new), EnrollCommand::run));
        } else if (!all.isEmpty() && all.getFirst().equals(LocalRollbackCommand.VERB)) {
            System.exit(
                    runCommand(
                            all.subList(1, all.size()).toArray(String[]::new),
                            LocalRollbackCommand::run));
        } else if (all.contains(AgentFlags.ROLL_BACK)) {
            System.exit(runCommand(arguments, LocalRollbackCommand::run));
        } else if (all.contains(AgentFlags.PIN_TRUST)) {
            System.exit(runCommand(arguments, PinTrustCommand::run));
        } else if (all.contains(AgentCommandLine.SELF_TEST)) {
            System.exit(runCommand(arguments, SelfTestCommand::run, List.of()));
        } else if (all.contains(AgentFlags.PRUNE)) {
            System.exit(runCommand(arguments, AgentInstallationDetector::pruneVersions));
        } else {
            runAgent(arguments);
        }
    }

    private static void runAgent(String[] arguments) throws InterruptedException {
        AgentMetrics metrics = new AgentMetrics();
        OpsAgentConfig config;
        OpsAgent.Dependencies parts;
        AgentPackaging itself;
        List<String> shown;
        try {
            AgentFlags flags = AgentFlags.of(arguments);
            config = flags.toConfig();
            parts = flags.createDependencies(metrics);
            itself = AgentInstallationDetector.detect(flags, parts);
            shown = flags.metricsAddresses();
        } catch (IllegalArgumentException e) {
            exitWithUsage(e);
            return;
        }
        try {
            OpsAgent agent = OpsAgent.start(config, parts, itself);
            Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "close"));
            serveMetrics(agent, metrics, shown);
            agent.awaitStopRequested();
            System.exit(0);
        } catch (IllegalArgumentException e) {
            exitWithUsage(e);
        } catch (RuntimeException e) {
            System.err.println(StartupErrorMessage.message(e));
            System.exit(1);
        }
    }

    private static int runAdopt(List<String> flags) {
        return AdoptCommand.run(
                flags,
                new PrintWriter(System.out, true, System.out.charset()),
                new PrintWriter(System.err, true, System.err.charset()));
    }

    private static void exitWithUsage(IllegalArgumentException why) {
        System.err.println(why.getMessage());
        System.err.println(USAGE);
        System.exit(2);
    }

    private static int runCommand(String[] arguments, Function<AgentFlags, String> thing) {
        return runCommand(arguments, thing, List.of(USAGE));
    }

    /**
     * Does one thing, says what came of it, and the exit code.
     *
     * @param help shown after what is wrong with the flags; none for who is started by an agent,
     *     which tells the last line on
     */
    private static int runCommand(
            String[] arguments, Function<AgentFlags, String> thing, List<String> help) {
        try {
            System.out.println(thing.apply(AgentFlags.of(arguments)));
            return 0;
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            help.forEach(System.err::println);
            return 2;
        } catch (RuntimeException e) {
            System.err.println(StartupErrorMessage.message(e));
            return 1;
        }
    }

    /**
     * Only where asked for: several agents may run on one machine. A successor waits for its turn:
     * until then the port is the old agent's.
     */
    private static void serveMetrics(OpsAgent agent, AgentMetrics metrics, List<String> addresses) {
        if (agent.isExecutor()) {
            addresses.forEach(address -> serveMetrics(metrics, address));
        } else if (!addresses.isEmpty()) {
            Thread.ofVirtual()
                    .name("agent-metrics")
                    .start(() -> serveMetricsWhenExecutor(agent, metrics, addresses));
        }
    }

    private static void serveMetricsWhenExecutor(
            OpsAgent agent, AgentMetrics metrics, List<String> addresses) {
        try {
            agent.awaitExecutor();
            addresses.forEach(address -> serveMetricsWhenPortFree(metrics, address));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalArgumentException e) {
            LOG.warn("Metrics are not shown reason={}", e.getMessage());
        }
    }

    /** The old agent gives its lock back before its port. */
    private static void serveMetricsWhenPortFree(AgentMetrics metrics, String address) {
        SystemTicker ticker = new SystemTicker();
        Deadline removed = ticker.deadlineIn(PORT_RELEASE_TIMEOUT);
        while (true) { // ends at the deadline
            try {
                serveMetrics(metrics, address);
                return;
            } catch (IllegalArgumentException e) {
                if (removed.hasPassed()) {
                    throw e;
                }
                ticker.pause(Duration.ofMillis(500));
            }
        }
    }

    private static void serveMetrics(AgentMetrics metrics, String address) {
        MetricsServer port = MetricsServer.start(address, metrics::prometheusText);
        Runtime.getRuntime().addShutdownHook(new Thread(port::close, "metrics"));
    }
}
