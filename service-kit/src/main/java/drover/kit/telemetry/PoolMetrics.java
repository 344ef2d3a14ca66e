package drover.kit.telemetry;

import drover.kit.database.ConnectionPool;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** What is told of a pool of database connections. */
public final class PoolMetrics {
    /** Connections by what they do. */
    public static final Metric CONNECTIONS =
            Metric.gauge(
                    "drover_database_connections",
                    "Connections of a pool, by what they do: active or idle.",
                    "pool",
                    "state");

    /** Who has to wait for one. */
    public static final Metric WAITING =
            Metric.gauge(
                    "drover_database_waiting",
                    "Threads that wait for a connection of a pool.",
                    "pool");

    private PoolMetrics() {}

    /**
     * Shows a pool of ours; of any other source there is nothing to show.
     *
     * @return withdraws it
     */
    public static Runnable show(Metrics metrics, String name, DataSource source) {
        return source instanceof ConnectionPool pool ? show(metrics, name, pool::use) : () -> {};
    }

    /**
     * Shows a pool.
     *
     * @return withdraws it
     */
    public static Runnable show(Metrics metrics, String name, Supplier<ConnectionPool.Use> ask) {
        Runnable connections =
                metrics.gauge(
                        CONNECTIONS,
                        reading -> {
                            ConnectionPool.Use pool = ask.get();
                            reading.is(pool.active(), name, "active");
                            reading.is(pool.idle(), name, "idle");
                        });
        Runnable waiting = metrics.gauge(WAITING, reading -> reading.is(ask.get().waiting(), name));
        return () -> {
            connections.run();
            waiting.run();
        };
    }
}
