package drover.gateway;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import drover.kit.grpc.Address;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Runs a gateway as a process of its own. */
public final class NodeGatewayMain {
    private static final String USAGE =
            """
            node-gateway --postgres JDBC-URL --id ID
                         [--agent-listen HOST:PORT] [--internal-listen HOST:PORT]
                         [--advertise HOST:PORT]
            """;
    private static final int POOL = 8; // a gateway writes in batches and reads at connect

    private NodeGatewayMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Map<String, String> options;
        NodeGatewayConfig config;
        try {
            options = read(arguments);
            config = config(options);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + USAGE);
            System.exit(2);
            return;
        }
        HikariDataSource database = database(required(options, "postgres"));
        NodeGateway gateway = NodeGateway.start(config, new NodeGateway.Parts(database));
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    gateway.close();
                                    database.close();
                                }));
        new CountDownLatch(1).await(); // the process ends by a signal alone
    }

    static NodeGatewayConfig config(Map<String, String> options) {
        var _ = required(options, "postgres");
        return NodeGatewayConfig.of(
                required(options, "id"),
                Address.parse(options.getOrDefault("agent-listen", "127.0.0.1:7443")),
                Address.parse(options.getOrDefault("internal-listen", "127.0.0.1:7444")),
                options.getOrDefault("advertise", ""));
    }

    /** Reads {@code --name value} pairs. */
    static Map<String, String> read(String[] arguments) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            if (!arguments[i].startsWith("--") || i + 1 == arguments.length) {
                throw new IllegalArgumentException(
                        "'" + arguments[i] + "' is not understood: options are --name value.");
            }
            options.put(arguments[i].substring(2), arguments[i + 1]);
        }
        return options;
    }

    private static String required(Map<String, String> options, String name) {
        String value = options.get(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("--" + name + " is missing.");
        }
        return value;
    }

    private static HikariDataSource database(String url) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(url);
        pool.setPoolName("drover-gateway");
        pool.setMaximumPoolSize(POOL);
        return new HikariDataSource(pool);
    }
}
