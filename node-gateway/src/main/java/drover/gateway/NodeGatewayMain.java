package drover.gateway;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import drover.kit.grpc.Address;
import drover.kit.start.Flags;
import drover.kit.start.Launch;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import drover.kit.telemetry.PoolMetrics;
import java.util.List;

/** Runs a gateway as a process of its own. */
public final class NodeGatewayMain {
    static final List<String> FLAGS =
            List.of(
                    "postgres",
                    "id",
                    "agent-listen",
                    "internal-listen",
                    "advertise",
                    MetricsDoor.FLAG);
    private static final String METRICS = "127.0.0.1:9465";
    private static final int POOL = 8; // a gateway writes in batches and reads at connect

    private NodeGatewayMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("gateway", FLAGS, arguments, NodeGatewayMain::start);
    }

    private static AutoCloseable start(Flags flags) {
        NodeGatewayConfig config = config(flags);
        Metrics metrics = Metrics.open();
        HikariDataSource database = database(flags.required("postgres"));
        var _ = PoolMetrics.show(metrics, "gateway", database);
        NodeGateway gateway = NodeGateway.start(config, new NodeGateway.Parts(database, metrics));
        AutoCloseable door = MetricsDoor.open(flags.or(MetricsDoor.FLAG, METRICS), metrics::text);
        return () -> {
            door.close();
            gateway.close();
            database.close();
        };
    }

    static NodeGatewayConfig config(Flags flags) {
        return NodeGatewayConfig.of(
                flags.required("id"),
                Address.parse(flags.or("agent-listen", "127.0.0.1:7443")),
                Address.parse(flags.or("internal-listen", "127.0.0.1:7444")),
                flags.or("advertise", ""));
    }

    private static HikariDataSource database(String url) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(url);
        pool.setPoolName("drover-gateway");
        pool.setMaximumPoolSize(POOL);
        return new HikariDataSource(pool);
    }
}
