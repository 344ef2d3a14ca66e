package drover.gateway.store;

import drover.gateway.Waits;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
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
 * A real PostgreSQL, one server for the whole run and a fresh database for whoever opens one. Where
 * none can be started the tests are skipped and say so. It ends with the run.
 */
public final class TestPostgres {
    private static @Nullable EmbeddedPostgres server;
    private static @Nullable String obstacle;

    private final DataSource database;

    private TestPostgres(DataSource database) {
        this.database = database;
    }

    /** A fresh database, without any schema of ours. */
    public static TestPostgres open() {
        EmbeddedPostgres postgres = server();
        String name = "t" + UUID.randomUUID().toString().replace("-", "");
        new TestPostgres(postgres.getPostgresDatabase()).run("CREATE DATABASE " + name);
        return new TestPostgres(postgres.getDatabase("postgres", name));
    }

    private static synchronized EmbeddedPostgres server() {
        if (server == null && obstacle == null) {
            try {
                server = EmbeddedPostgres.builder().setPGStartupWait(Waits.LIMIT).start();
            } catch (IOException | IllegalStateException e) {
                obstacle = String.valueOf(e.getMessage());
            }
        }
        Assumptions.assumeTrue(
                server != null, "SKIPPED: no PostgreSQL can be started here: " + obstacle);
        return Objects.requireNonNull(server);
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
