package drover.coordinator.store;

import drover.kit.database.Schema;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.postgres.PostgresPlugin;

/**
 * The coordinator's schema and the one way into it. Every failure of the database becomes {@link
 * StoreUnavailable}.
 */
public final class Database {
    private static final String SCHEMA = "coordinator";

    private final Jdbi jdbi;
    private final DataSource dataSource;

    private Database(DataSource dataSource) {
        this.dataSource = dataSource;
        this.jdbi = Jdbi.create(dataSource).installPlugin(new PostgresPlugin());
    }

    /** Brings the schema up to date and opens it. */
    public static Database open(DataSource dataSource) {
        try {
            Schema.bringUpToDate(dataSource, SCHEMA, "flyway_schema_history");
        } catch (FlywayException e) {
            throw new StoreUnavailable("bringing the coordinator's schema up to date", e);
        }
        return over(dataSource);
    }

    /** One whose schema is known to be up to date. */
    static Database over(DataSource dataSource) {
        return new Database(dataSource);
    }

    DataSource dataSource() {
        return dataSource;
    }

    <T> T read(String doing, Function<Handle, T> query) {
        return guarded(doing, () -> jdbi.withHandle(handle -> query.apply(here(handle))));
    }

    <T> T write(String doing, Function<Handle, T> work) {
        return guarded(doing, () -> jdbi.inTransaction(handle -> work.apply(here(handle))));
    }

    /**
     * No statement waits for ever, and no session that stopped in a transaction keeps its locks:
     * far longer than any statement of ours takes, and then the caller has its connection back.
     */
    private static Handle here(Handle handle) {
        handle.execute(
                "SELECT set_config('search_path', '"
                        + SCHEMA
                        + "', false), set_config('statement_timeout', '60s', false),"
                        + " set_config('idle_in_transaction_session_timeout', '60s', false)");
        return handle;
    }

    private static <T> T guarded(String doing, java.util.function.Supplier<T> work) {
        try {
            return work.get();
        } catch (JdbiException e) {
            throw new StoreUnavailable(doing, e);
        }
    }
}
