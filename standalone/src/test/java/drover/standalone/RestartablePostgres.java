package drover.standalone;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** A real PostgreSQL that goes away and comes back, on the same port and with what it had. */
final class RestartablePostgres implements AutoCloseable {
    private final Path directory;
    private final int port;
    private final Map<String, String> settings;
    private @Nullable EmbeddedPostgres server;

    private RestartablePostgres(Path directory, int port, Map<String, String> settings) {
        this.directory = directory;
        this.port = port;
        this.settings = settings;
    }

    /** Starts one; where none can be started, the test is skipped and says so. */
    static RestartablePostgres start(Path directory, int port, Map<String, String> settings) {
        RestartablePostgres postgres = new RestartablePostgres(directory, port, settings);
        try {
            postgres.comeBack();
        } catch (UncheckedIOException | IllegalStateException e) {
            Assumptions.abort("SKIPPED: no PostgreSQL can be started here: " + e.getMessage());
        }
        return postgres;
    }

    /** Where it is, for whoever speaks plain. */
    String url() {
        return url("127.0.0.1");
    }

    String url(String host) {
        return "jdbc:postgresql://" + host + ":" + port + "/postgres?user=postgres";
    }

    void goAway() {
        EmbeddedPostgres running = server;
        server = null;
        try {
            if (running != null) {
                running.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void comeBack() {
        EmbeddedPostgres.Builder builder =
                EmbeddedPostgres.builder()
                        .setPort(port)
                        .setDataDirectory(directory)
                        .setCleanDataDirectory(false);
        settings.forEach(builder::setServerConfig);
        try {
            server = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        goAway();
    }
}
