package drover.gateway.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.postgres.PostgresPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of the stores to the schema {@code gateway}: a transaction for whatever is done. */
final class GatewayTransactionRunner {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayTransactionRunner.class);
    private static final String DEADLOCK = "40P01"; // what PostgreSQL says to the one that it ends

    /**
     * How long a gateway that stands still in a transaction keeps its locks. Then the server ends
     * its session: another gateway gives that node its next certificate or lets it in, well within
     * the two minutes that a node may say nothing. A transaction takes milliseconds.
     */
    private static final Duration IDLE_IN_TRANSACTION_TIMEOUT = Duration.ofSeconds(10);

    /**
     * How long what the server sent may stay without the gateway's machine saying that it came. A
     * machine that is gone would keep its locks until the server's keepalives find out, after
     * hours.
     */
    private static final Duration TCP_USER_TIMEOUT = Duration.ofSeconds(10);

    /** Each that is lost takes the server's {@code deadlock_timeout}, of 1 s by default. */
    private static final int MAX_ATTEMPTS = 5;

    private final Jdbi jdbi;

    /** In a database whose schema {@link PostgresNodeStore#migrateAndOpen} brought up to date. */
    GatewayTransactionRunner(DataSource database) {
        this.jdbi = Jdbi.create(database).installPlugin(new PostgresPlugin());
    }

    /**
     * Does it in a transaction of its own.
     *
     * @param what for people, after "could not"
     * @throws StoreUnavailable when the database is away
     * @throws UnwritableValue when the database rejects a value
     */
    <T> T inTransaction(String what, Function<Handle, T> work) {
        try {
            return jdbi.inTransaction(handle -> work.apply(setTimeouts(handle)));
        } catch (JdbiException e) {
            throw UnwritableValue.of(what, e)
                    .<RuntimeException>map(rejected -> rejected)
                    .orElseGet(() -> new StoreUnavailable(what, e));
        }
    }

    /**
     * The same for what has no next tick, and comes to many rows in whatever order: of two
     * transactions that wait for each other's rows the server ends one, which has done nothing.
     */
    <T> T inTransactionRetryingDeadlocks(String what, Function<Handle, T> work) {
        for (int tries = 1; true; tries++) {
            try {
                return inTransaction(what, work);
            } catch (StoreUnavailable e) {
                if (tries == MAX_ATTEMPTS || !isDeadlock(e)) {
                    throw e;
                }
                LOG.info(
                        "A transaction gave way to another and is tried again transaction={}",
                        what);
            }
        }
    }

    private static boolean isDeadlock(StoreUnavailable failure) {
        return Stream.iterate(failure.getCause(), Objects::nonNull, Throwable::getCause)
                .anyMatch(e -> e instanceof SQLException sql && DEADLOCK.equals(sql.getSQLState()));
    }

    /** Of this transaction alone: the pool may be shared with others. */
    private static Handle setTimeouts(Handle handle) {
        handle.execute(
                "SELECT set_config('idle_in_transaction_session_timeout', ?, true),"
                        + " set_config('tcp_user_timeout', ?, true)",
                Long.toString(IDLE_IN_TRANSACTION_TIMEOUT.toMillis()),
                Long.toString(TCP_USER_TIMEOUT.toMillis()));
        return handle;
    }
}
