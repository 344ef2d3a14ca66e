package drover.opsagent;

import drover.opsagent.engine.StateProblem;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.metrics.MetricsPort;
import java.io.PrintWriter;
import java.util.List;

/**
 * Runs one agent as a process of its own until it is terminated or another agent takes over. Exit
 * codes: 0 another agent took over, 1 could not start, 2 wrong flags; 143 after SIGTERM.
 */
public final class OpsAgentMain {
    private static final String USAGE =
            "Usage: agent --gateway HOST:PORT [--gateway ...] --state DIR --root DIR"
                    + " --token-file FILE [--allow-host HOST ...] [--allow-local]"
                    + " [--metrics HOST:PORT] [--runtime NAME] [--runtimes DIR] [--set KEY=VALUE ...] [--policy FILE]\n"
                    + "   or: agent --roll-back-last --state DIR --root DIR [--runtime NAME] [...]\n"
                    + "   or: agent adopt --spec FILE --state DIR --root DIR [--version NAME] [--url URL]"
                    + " [--dry-run] [--runtime NAME] [...]";

    private OpsAgentMain() {}

    /** Starts the agent. */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length > 0 && arguments[0].equals(Adopting.VERB)) {
            List<String> flags = List.of(arguments).subList(1, arguments.length);
            PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
            PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
            System.exit(Adopting.run(flags, out, err));
            return;
        }
        if (List.of(arguments).contains(AgentFlags.ROLL_BACK)) {
            System.exit(rolledBack(arguments));
            return;
        }
        OpsAgentConfig config;
        OpsAgent.Parts parts;
        AgentMetrics metrics = new AgentMetrics();
        try {
            AgentFlags flags = AgentFlags.of(arguments);
            config = flags.config();
            parts = flags.parts(metrics);
            show(metrics, flags.metrics());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(USAGE);
            System.exit(2);
            return;
        }
        try {
            OpsAgent agent = OpsAgent.start(config, parts);
            Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "close"));
            agent.awaitStopAsked();
            System.exit(0);
        } catch (RuntimeException e) {
            System.err.println(StateProblem.sentence(e));
            System.exit(1);
        }
    }

    /** Takes the latest upgrade back without a server; says the exit code. */
    private static int rolledBack(String[] arguments) {
        try {
            AgentFlags flags = AgentFlags.of(arguments);
            System.out.println(LocalRollback.run(flags));
            return 0;
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(USAGE);
            return 2;
        } catch (RuntimeException e) {
            System.err.println(StateProblem.sentence(e));
            return 1;
        }
    }

    /** Only where asked for: several agents may run on one machine. Open until the end. */
    private static void show(AgentMetrics metrics, List<String> addresses) {
        addresses.forEach(
                address -> {
                    MetricsPort port = MetricsPort.open(address, metrics::text);
                    Runtime.getRuntime().addShutdownHook(new Thread(port::close, "metrics"));
                });
    }
}
