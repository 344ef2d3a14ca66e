package drover.gateway.store;

import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.postgres.PostgresPlugin;

/** The way of the stores to the schema {@code gateway}: a transaction for whatever is done. */
final class GatewayDatabase {
    private final Jdbi jdbi;

    /** In a database whose schema {@link PostgresNodeStore#open} brought up to date. */
    GatewayDatabase(DataSource database) {
        this.jdbi = Jdbi.create(database).installPlugin(new PostgresPlugin());
    }

    /**
     * Does it in a transaction of its own.
     *
     * @param what for people, after "could not"
     * @throws StoreUnavailable when the database is away
     */
    <T> T doing(String what, Function<Handle, T> work) {
        try {
            return jdbi.inTransaction(work::apply);
        } catch (JdbiException e) {
            throw new StoreUnavailable(what, e);
        }
    }
}
