package drover.coordinator.store.sql;

import drover.kit.database.ConnectionPool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A real PostgreSQL, one server for the whole run and a fresh database for each test. Where none
 * can be started the tests are skipped and say so.
 */
public final class TestDatabase implements AutoCloseable {
    private static @Nullable EmbeddedPostgres server;
    private static @Nullable String obstacle;

    private static final int CONNECTIONS = 12;

    private final String name;
    private final ConnectionPool pool;
    private final Database database;

    private TestDatabase(String name, ConnectionPool pool) {
        this.name = name;
        this.pool = pool;
        this.database = Database.open(pool);
    }

    /** A fresh database with the coordinator's schema. */
    public static TestDatabase open() {
        EmbeddedPostgres postgres = server();
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        Jdbi.create(postgres.getPostgresDatabase())
                .useHandle(handle -> handle.execute("CREATE DATABASE " + name));
        return new TestDatabase(
                name, ConnectionPool.over(postgres.getDatabase("postgres", name), CONNECTIONS));
    }

    /** Where the server listens. */
    public int port() {
        return server().getPort();
    }

    /** Where the same database is, over this port. */
    String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + name + "?user=postgres";
    }

    /** Connections of another program, which reach the same database through this port. */
    public ConnectionPool through(int port, int connections) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {port});
        source.setUser("postgres");
        source.setDatabaseName(name);
        source.setPrepareThreshold(0); // every statement goes as text, so that a wire can see it
        return ConnectionPool.over(source, connections);
    }

    private static synchronized EmbeddedPostgres server() {
        if (server == null && obstacle == null) {
            try {
                server = EmbeddedPostgres.start();
            } catch (IOException | IllegalStateException e) {
                obstacle = String.valueOf(e.getMessage());
            }
        }
        Assumptions.assumeTrue(
                server != null, "SKIPPED: no PostgreSQL can be started here: " + obstacle);
        return java.util.Objects.requireNonNull(server);
    }

    /** The way in, as the product has it. */
    public Database database() {
        return database;
    }

    /** The same for parts that take a data source. */
    public DataSource dataSource() {
        return pool;
    }

    /** Runs a statement. */
    public void run(String sql, Object... arguments) {
        database.write("a test", handle -> handle.execute(sql, arguments));
    }

    /** One number. */
    public long count(String sql, Object... arguments) {
        return database.read(
                "a test",
                handle -> {
                    var query = handle.createQuery(sql);
                    for (int i = 0; i < arguments.length; i++) {
                        query.bind(i, arguments[i]);
                    }
                    return query.mapTo(Long.class).one();
                });
    }

    /** One column of texts. */
    public java.util.List<String> texts(String sql) {
        return database.read(
                "a test", handle -> handle.createQuery(sql).mapTo(String.class).list());
    }

    /** One row, by column. */
    public Map<String, Object> row(String sql) {
        return database.read("a test", handle -> handle.createQuery(sql).mapToMap().one());
    }

    @Override
    public void close() {
        pool.close();
    }
}
