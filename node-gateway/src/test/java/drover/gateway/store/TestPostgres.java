package drover.gateway.store;

import drover.gateway.Waits;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * Database of a real PostgreSQL: one server per test JVM, a new database for each caller. If the
 * server cannot be started, the tests are skipped with a message.
 */
public final class TestPostgres {
    /** Database with the gateway's schema; copying it is cheaper than the migrations. */
    private static final String TEMPLATE = "migrated";

    /** Memory file system of Linux: a copy of the template takes 60 ms there, 240 ms on a disk. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private static final long MEMORY_NEEDED = 1L << 30; // 100 databases of 8 MB, and the log

    private static @Nullable EmbeddedPostgres server;
    private static @Nullable String obstacle;

    private final DataSource database;

    private TestPostgres(DataSource database) {
        this.database = database;
    }

    /** New database with the gateway's schema and no rows. */
    public static TestPostgres open() {
        return open(TEMPLATE);
    }

    /** New database without any schema of Drover's. */
    static TestPostgres withoutSchema() {
        return open("template1");
    }

    private static TestPostgres open(String template) {
        EmbeddedPostgres postgres = server();
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        new TestPostgres(postgres.getPostgresDatabase())
                .run("CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY FILE_COPY");
        return new TestPostgres(postgres.getDatabase("postgres", name));
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
        new TestPostgres(started.getPostgresDatabase()).run("CREATE DATABASE " + TEMPLATE);
        var _ = PostgresNodeStore.migrateAndOpen(started.getDatabase("postgres", TEMPLATE));
        return started;
    }

    /** Connections to it, a new one each time. */
    public DataSource dataSource() {
        return database;
    }

    /** Runs a statement. */
    public void run(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of the first row. */
    public String text(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            if (!rows.next()) {
                throw new IllegalStateException("Nothing is found by " + sql);
            }
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
