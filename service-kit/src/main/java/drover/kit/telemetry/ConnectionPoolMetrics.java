package drover.kit.telemetry;

import drover.kit.database.ConnectionPool;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** What is told of a pool of database connections. */
public final class ConnectionPoolMetrics {
    /** Connections by what they do. */
    public static final MetricDefinition CONNECTIONS =
            MetricDefinition.gauge(
                    "drover_database_connections",
                    "Connections of a pool, by what they do: active or idle.",
                    "pool",
                    "state");

    /** Who has to wait for one. */
    public static final MetricDefinition WAITING =
            MetricDefinition.gauge(
                    "drover_database_waiting",
                    "Threads that wait for a connection of a pool.",
                    "pool");

    private ConnectionPoolMetrics() {}

    /**
     * Shows a pool of ours; of any other source there is nothing to show.
     *
     * @return withdraws it
     */
    public static Runnable register(Metrics metrics, String name, DataSource source) {
        return source instanceof ConnectionPool pool
                ? register(metrics, name, pool::usage)
                : () -> {};
    }

    /**
     * Shows a pool.
     *
     * @return withdraws it
     */
    public static Runnable register(
            Metrics metrics, String name, Supplier<ConnectionPool.Usage> query) {
        Runnable connections =
                metrics.registerGauge(
                        CONNECTIONS,
                        reading -> {
                            ConnectionPool.Usage pool = query.get();
                            reading.record(pool.active(), name, "active");
                            reading.record(pool.idle(), name, "idle");
                        });
        Runnable waiting =
                metrics.registerGauge(
                        WAITING, reading -> reading.record(query.get().waiting(), name));
        return () -> {
            connections.run();
            waiting.run();
        };
    }
}
