package drover.coordinator;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import drover.coordinator.access.Grant;
import drover.coordinator.election.ElectorChoice;
import drover.coordinator.plan.Timings;
import drover.coordinator.sink.EventSink;
import drover.coordinator.sink.EventsFile;
import drover.coordinator.token.TokenIssuer;
import drover.kit.grpc.Address;
import drover.kit.start.Flags;
import drover.kit.start.Launch;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import drover.kit.telemetry.PoolMetrics;
import drover.kit.telemetry.Spans;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Runs one coordinator as a process of its own; others may stand by. */
public final class RolloutCoordinatorMain {
    static final List<String> FLAGS =
            List.of(
                    "postgres",
                    "id",
                    "listen",
                    "http",
                    "manifest",
                    "health",
                    "events",
                    "keys",
                    "grant",
                    "insecure",
                    "jwt-issuer",
                    "jwt-audience",
                    "jwt-keys",
                    "keep",
                    "elector",
                    "etcd",
                    "lease-ttl",
                    MetricsDoor.FLAG);
    private static final String METRICS = "127.0.0.1:9464";
    private static final int POOL = 16; // one loop per rollout, and operators' calls

    private RolloutCoordinatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("coordinator", FLAGS, arguments, RolloutCoordinatorMain::start);
    }

    private static AutoCloseable start(Flags flags) {
        RolloutCoordinatorConfig config = config(flags);
        ElectorChoice elector = elector(flags);
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(flags.required("postgres"));
        pool.setPoolName("drover-coordinator");
        pool.setMaximumPoolSize(POOL);
        HikariDataSource database = new HikariDataSource(pool);
        Metrics metrics = Metrics.open();
        var _ = PoolMetrics.show(metrics, "coordinator", database);
        RolloutCoordinator coordinator =
                RolloutCoordinator.start(
                        config,
                        new RolloutCoordinator.Parts(
                                database,
                                elector.open(database),
                                Spans.from(System.getenv(), RolloutCoordinator.SERVICE),
                                metrics,
                                sinks(flags.or("events", ""))));
        AutoCloseable door = MetricsDoor.open(flags.or(MetricsDoor.FLAG, METRICS), metrics::text);
        return () -> {
            door.close();
            coordinator.close();
            database.close();
        };
    }

    static ElectorChoice elector(Flags flags) {
        return ElectorChoice.parse(
                flags.or("elector", "static"), flags.or("etcd", ""), flags.or("lease-ttl", ""));
    }

    /** None when no file was named; a file that was named must be there. */
    private static List<EventSink> sinks(String file) {
        if (!file.isEmpty() && !Files.exists(Path.of(file))) {
            throw new IllegalArgumentException("There is no file " + file + " for --events.");
        }
        return file.isEmpty() ? List.of() : EventsFile.read(Path.of(file));
    }

    static RolloutCoordinatorConfig config(Flags flags) {
        if (!(Address.parse(flags.or("http", "127.0.0.1:8080")) instanceof Address.Tcp http)) {
            throw new IllegalArgumentException("--http needs a port: host:port.");
        }
        return new RolloutCoordinatorConfig(
                flags.required("id"),
                Address.parse(flags.or("listen", "127.0.0.1:9090")),
                http,
                Address.parse(flags.required("manifest")),
                Address.parse(flags.required("health")),
                Timings.STANDARD,
                access(flags),
                RolloutCoordinatorConfig.keep(flags.or("keep", "400")));
    }

    /** Without a word about it, nobody gets in but by keys that were made before. */
    private static AccessConfig access(Flags flags) {
        if (flags.or("insecure", "false").equals("true")) {
            return AccessConfig.asksNobody();
        }
        AccessConfig keys = keys(flags);
        String issuer = flags.or("jwt-issuer", "");
        String published = flags.or("jwt-keys", "");
        return issuer.isEmpty() && published.isEmpty()
                ? keys
                : keys.taking(
                        TokenIssuer.of(issuer, flags.or("jwt-audience", "drover"), published));
    }

    private static AccessConfig keys(Flags flags) {
        String directory = flags.or("keys", "");
        if (directory.isEmpty()) {
            return new AccessConfig(false, Optional.empty(), List.of(), Optional.empty());
        }
        if (!Files.isDirectory(Path.of(directory))) {
            throw new IllegalArgumentException(
                    "There is no directory " + directory + " for --keys; make it first.");
        }
        return AccessConfig.keysIn(Path.of(directory), Grant.parseAll(flags.or("grant", "")));
    }
}
