package drover.coordinator.store.sql;

import drover.coordinator.Waits;
import drover.kit.database.ConnectionPool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Database of a real PostgreSQL: one server per test JVM, a new database for each test, deleted at
 * its end. If the server cannot be started, the tests are skipped with a message.
 */
public final class TestDatabase implements AutoCloseable {
    /** Database with the coordinator's schema; copying it is cheaper than its migrations. */
    private static final String TEMPLATE = "migrated";

    /** Memory file system of Linux: a copy of the template takes 60 ms there, 240 ms on a disk. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private static final long MEMORY_NEEDED = 1L << 30; // a few databases of 8 MB, and the log

    private static @Nullable EmbeddedPostgres server;
    private static @Nullable String obstacle;

    private static final int CONNECTIONS = 12;

    private final String name;
    private final ConnectionPool pool;
    private final Database database;

    private TestDatabase(String name, ConnectionPool pool) {
        this.name = name;
        this.pool = pool;
        this.database = Database.migrateAndOpen(pool);
    }

    /** A fresh database with the coordinator's schema. */
    public static TestDatabase open() {
        EmbeddedPostgres postgres = server();
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        execute(
                postgres,
                "CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE + " STRATEGY FILE_COPY");
        return new TestDatabase(
                name,
                ConnectionPool.ofDataSource(postgres.getDatabase("postgres", name), CONNECTIONS));
    }

    /**
     * A database with the tables and rows of an earlier version, brought up to date.
     *
     * @param dump SQL that makes the schema {@code coordinator}
     */
    public static TestDatabase restore(String dump) {
        EmbeddedPostgres postgres = server();
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        execute(postgres, "CREATE DATABASE " + name);
        DataSource empty = postgres.getDatabase("postgres", name);
        try (Connection connection = empty.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(dump);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new TestDatabase(name, ConnectionPool.ofDataSource(empty, CONNECTIONS));
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
        return ConnectionPool.ofDataSource(source, connections);
    }

    private static synchronized EmbeddedPostgres server() {
        if (server == null && obstacle == null) {
            try {
                server = start();
            } catch (IOException | IllegalStateException e) {
                obstacle = String.valueOf(e.getMessage());
            }
        }
        Assumptions.assumeTrue(
                server != null, "SKIPPED: no PostgreSQL can be started here: " + obstacle);
        return Objects.requireNonNull(server);
    }

    /** Without fsync: no test stops this server and starts it again. */
    private static EmbeddedPostgres start() throws IOException {
        EmbeddedPostgres.Builder builder =
                EmbeddedPostgres.builder()
                        .setPGStartupWait(Waits.LIMIT)
                        .setServerConfig("fsync", "off")
                        .setServerConfig("full_page_writes", "off");
        if (Files.isWritable(MEMORY) && MEMORY.toFile().getUsableSpace() > MEMORY_NEEDED) {
            var _ = builder.setDataDirectory(Files.createTempDirectory(MEMORY, "drover-test-"));
        }
        EmbeddedPostgres started = builder.start();
        execute(started, "CREATE DATABASE " + TEMPLATE);
        try (ConnectionPool pool =
                ConnectionPool.ofDataSource(started.getDatabase("postgres", TEMPLATE), 2)) {
            var _ = Database.migrateAndOpen(pool);
        }
        return started;
    }

    private static void execute(EmbeddedPostgres postgres, String sql) {
        Jdbi.create(postgres.getPostgresDatabase()).useHandle(handle -> handle.execute(sql));
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
        execute(server(), "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }
}
