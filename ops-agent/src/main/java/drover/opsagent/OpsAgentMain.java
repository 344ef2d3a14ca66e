package drover.opsagent;

import drover.opsagent.engine.StateProblem;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.metrics.MetricsPort;
import drover.opsagent.peers.GatewayAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs one agent as a process of its own until it is terminated or another agent takes over. Exit
 * codes: 0 another agent took over, 1 could not start, 2 wrong flags; 143 after SIGTERM.
 */
public final class OpsAgentMain {
    private static final String USAGE =
            "Usage: agent --gateway HOST:PORT [--gateway ...] --state DIR --root DIR"
                    + " --token-file FILE [--allow-host HOST ...] [--allow-local]"
                    + " [--metrics HOST:PORT]\n"
                    + "   or: agent --roll-back-last --state DIR --root DIR";

    private static final String ROLL_BACK = "--roll-back-last";

    private OpsAgentMain() {}

    /** Starts the agent. */
    public static void main(String[] arguments) throws InterruptedException {
        if (List.of(arguments).contains(ROLL_BACK)) {
            System.exit(rolledBack(arguments));
            return;
        }
        OpsAgentConfig config;
        DownloadPolicy downloads;
        AgentMetrics metrics = new AgentMetrics();
        try {
            Map<String, List<String>> flags = flags(arguments);
            config = config(flags);
            downloads = downloads(flags);
            show(metrics, all(flags, "--metrics"));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(USAGE);
            System.exit(2);
            return;
        }
        try {
            OpsAgent agent = OpsAgent.start(config, OpsAgent.Parts.local(downloads, metrics));
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
            Map<String, List<String>> flags = flags(arguments);
            Path state = Path.of(one(flags, "--state"));
            System.out.println(LocalRollback.run(state, Path.of(one(flags, "--root"))));
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

    private static OpsAgentConfig config(Map<String, List<String>> flags) {
        List<GatewayAddress> gateways =
                all(flags, "--gateway").stream().map(GatewayAddress::new).toList();
        if (gateways.isEmpty()) {
            throw new IllegalArgumentException("--gateway is missing.");
        }
        return OpsAgentConfig.process(
                Path.of(one(flags, "--state")),
                Path.of(one(flags, "--root")),
                gateways,
                token(Path.of(one(flags, "--token-file"))));
    }

    /** Only where asked for: several agents may run on one machine. Open until the end. */
    private static void show(AgentMetrics metrics, List<String> addresses) {
        addresses.forEach(
                address -> {
                    MetricsPort port = MetricsPort.open(address, metrics::text);
                    Runtime.getRuntime().addShutdownHook(new Thread(port::close, "metrics"));
                });
    }

    private static DownloadPolicy downloads(Map<String, List<String>> flags) {
        return flags.containsKey("--allow-local")
                ? DownloadPolicy.localMachine()
                : DownloadPolicy.fleet(Set.copyOf(new HashSet<>(all(flags, "--allow-host"))));
    }

    /** Pairs of flag and value; {@code --allow-local} and {@code --roll-back-last} stand alone. */
    static Map<String, List<String>> flags(String[] arguments) {
        Set<String> known =
                Set.of(
                        "--gateway",
                        "--state",
                        "--root",
                        "--token-file",
                        "--allow-host",
                        "--metrics");
        Map<String, List<String>> flags = new HashMap<>();
        Iterator<String> left = List.of(arguments).iterator();
        while (left.hasNext()) {
            String flag = left.next();
            if (flag.equals("--allow-local") || flag.equals(ROLL_BACK)) {
                flags.put(flag, List.of());
                continue;
            }
            if (!known.contains(flag)) {
                throw new IllegalArgumentException("'" + flag + "' is no flag of the agent.");
            }
            if (!left.hasNext()) {
                throw new IllegalArgumentException(flag + " needs a value.");
            }
            flags.computeIfAbsent(flag, _ -> new ArrayList<>()).add(left.next());
        }
        return flags;
    }

    private static List<String> all(Map<String, List<String>> flags, String flag) {
        return flags.getOrDefault(flag, List.of());
    }

    private static String one(Map<String, List<String>> flags, String flag) {
        List<String> values = all(flags, flag);
        if (values.size() != 1) {
            throw new IllegalArgumentException("Give " + flag + " once.");
        }
        return values.getFirst();
    }

    private static String token(Path file) {
        try {
            String token = Files.readString(file).strip();
            if (token.isEmpty()) {
                throw new IllegalArgumentException("The token file " + file + " is empty.");
            }
            return token;
        } catch (IOException e) {
            throw new IllegalArgumentException("The token file " + file + " cannot be read.", e);
        }
    }
}
