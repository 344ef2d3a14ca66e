package drover.coordinator.store.sql;

import drover.kit.database.SchemaMigration;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.postgres.PostgresPlugin;

/**
 * The coordinator's schema and the one way into it. A value that the database rejects becomes
 * {@link UnwritableValue}, every other failure {@link StoreUnavailable}.
 */
public final class Database {
    private static final String SCHEMA = "coordinator";

    /** Far longer than any of these takes: creations, and what operators look at. */
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(60);

    /**
     * How long a session that stopped in a transaction keeps its locks. A take-over ends such a
     * session after 1.5 s ({@link Fence}), and this ends it where nobody takes over.
     */
    private static final Duration IDLE_IN_TRANSACTION_TIMEOUT = Duration.ofSeconds(60);

    /** How long what was sent may stay without the other machine's word that it came. */
    private static final Duration TCP_USER_TIMEOUT = Duration.ofSeconds(10);

    private final Jdbi jdbi;
    private final DataSource dataSource;

    private Database(DataSource dataSource) {
        this.dataSource = dataSource;
        this.jdbi = Jdbi.create(dataSource).installPlugin(new PostgresPlugin());
    }

    /** Brings the schema up to date and opens it. */
    public static Database migrateAndOpen(DataSource dataSource) {
        try {
            SchemaMigration.migrateToLatest(dataSource, SCHEMA, "flyway_schema_history");
        } catch (FlywayException e) {
            throw new StoreUnavailable("bringing the coordinator's schema up to date", e);
        }
        return of(dataSource);
    }

    /** One whose schema is known to be up to date. */
    static Database of(DataSource dataSource) {
        return new Database(dataSource);
    }

    public DataSource dataSource() {
        return dataSource;
    }

    public <T> T read(String doing, Function<Handle, T> query) {
        return translateFailures(
                doing,
                () ->
                        jdbi.withHandle(
                                handle ->
                                        query.apply(
                                                setSearchPathAndTimeouts(
                                                        handle, STATEMENT_TIMEOUT))));
    }

    public <T> T write(String doing, Function<Handle, T> work) {
        return write(doing, STATEMENT_TIMEOUT, work);
    }

    /**
     * The same, for statements that are known to be short.
     *
     * @param longest how long one statement may take
     */
    <T> T write(String doing, Duration longest, Function<Handle, T> work) {
        return translateFailures(
                doing,
                () ->
                        jdbi.inTransaction(
                                handle -> work.apply(setSearchPathAndTimeouts(handle, longest))));
    }

    /**
     * No statement waits for ever, no session that stopped in a transaction keeps its locks, and
     * none is kept for a machine that is gone: the caller has its connection back.
     */
    private static Handle setSearchPathAndTimeouts(Handle handle, Duration longest) {
        handle.execute(
                "SELECT set_config('search_path', ?, false),"
                        + " set_config('statement_timeout', ?, false),"
                        + " set_config('idle_in_transaction_session_timeout', ?, false),"
                        + " set_config('tcp_user_timeout', ?, false)",
                SCHEMA,
                millis(longest),
                millis(IDLE_IN_TRANSACTION_TIMEOUT),
                millis(TCP_USER_TIMEOUT));
        return handle;
    }

    private static String millis(Duration length) {
        return Long.toString(length.toMillis());
    }

    private static <T> T translateFailures(String doing, java.util.function.Supplier<T> work) {
        try {
            return work.get();
        } catch (JdbiException e) {
            throw UnwritableValue.of(doing, e)
                    .<RuntimeException>map(rejected -> rejected)
                    .orElseGet(() -> new StoreUnavailable(doing, e));
        }
    }
}
