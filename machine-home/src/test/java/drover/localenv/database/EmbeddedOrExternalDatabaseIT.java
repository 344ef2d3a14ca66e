package drover.localenv.database;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.Await;
import drover.localenv.DataDirectory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real PostgreSQL on a directory of its own; needs unshare when run as root. */
class EmbeddedOrExternalDatabaseIT {
    @TempDir Path folder;

    private DataDirectory directory;

    @BeforeEach
    void makeDirectory() {
        directory = new DataDirectory(folder.resolve("a data directory"));
    }

    @AfterEach
    void leaveNoServer() {
        EmbeddedPostgres.stopLeftover(directory);
    }

    @Test
    void keepsWhatItWasGivenOverAStop() throws SQLException {
        try (EmbeddedOrExternalDatabase database = open()) {
            run(database.openPool("first", 2), "CREATE TABLE kept (word text)");
            run(database.openPool("second", 2), "INSERT INTO kept VALUES ('still here')");
        }
        try (EmbeddedOrExternalDatabase database = open()) {
            assertThat(text(database.openPool("third", 2), "SELECT word FROM kept"))
                    .isEqualTo("still here");
        }
    }

    @Test
    void takesOverFromAServerThatAKilledDeploymentLeftBehind() throws SQLException {
        EmbeddedPostgres abandoned = EmbeddedPostgres.start(directory);
        PostmasterPid left = PostmasterPid.findLive(cluster()).orElseThrow();
        try (EmbeddedOrExternalDatabase database = open()) {
            assertThat(left.isAlive()).isFalse();
            assertThat(text(database.openPool("next", 2), "SELECT 'well'")).isEqualTo("well");
        }
        assertThat(PostmasterPid.findLive(cluster())).isEmpty();
        abandoned.close();
    }

    @Test
    void restartsAKilledServerSoThatAnOpenPoolReconnects() throws SQLException {
        List<String> notices = new CopyOnWriteArrayList<>();
        try (EmbeddedOrExternalDatabase database =
                EmbeddedOrExternalDatabase.openSupervised(directory, notices::add)) {
            DataSource pool = database.openPool("survivor", 1);
            run(pool, "CREATE TABLE kept (word text)");
            run(pool, "INSERT INTO kept VALUES ('still here')");
            long killed = PostmasterPid.findLive(cluster()).orElseThrow().pid();
            var _ = ProcessHandle.of(killed).orElseThrow().destroyForcibly();

            assertThat(
                            Await.until(
                                    Duration.ofMinutes(5),
                                    () -> notices.contains("PostgreSQL runs again.")))
                    .isTrue();

            assertThat(text(pool, "SELECT word FROM kept")).isEqualTo("still here");
            assertThat(PostmasterPid.findLive(cluster()).orElseThrow().pid()).isNotEqualTo(killed);
            assertThat(notices.getFirst()).startsWith("PostgreSQL ended unexpectedly");
        }
        assertThat(PostmasterPid.findLive(cluster())).isEmpty();
        assertThat(notices).hasSize(2);
    }

    @Test
    void forgetsNothingThatWasCommittedG3() throws SQLException {
        try (EmbeddedOrExternalDatabase database = open()) {
            DataSource pool = database.openPool("settings", 2);
            for (String setting :
                    new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
                assertThat(text(pool, "SELECT current_setting('" + setting + "')"))
                        .as(setting)
                        .isEqualTo("on");
            }
            assertThat(text(pool, "SELECT current_setting('listen_addresses')"))
                    .isEqualTo("127.0.0.1");
        }
    }

    private Path cluster() {
        return new PostgresFiles(directory.postgres()).cluster();
    }

    private EmbeddedOrExternalDatabase open() {
        return EmbeddedOrExternalDatabase.open(directory, Optional.empty());
    }

    private static void run(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
