package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.DataDirectory;
import drover.localenv.DirectoryLock;
import drover.localenv.RunningDeployment;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code status} of a deployment that this process seems to run: it holds the lock. */
class StatusCommandTest {
    @TempDir Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @DisplayName("If the PostgreSQL of up does not run, status says so and fails")
    void reportsADatabaseThatDoesNotRun() {
        DataDirectory data = new DataDirectory(folder.resolve("data"));
        try (DirectoryLock _ = data.createAndLock()) {
            RunningDeployment.ofCurrentProcess(1, 2, 3, 4, true)
                    .write(data.runningDeploymentFile());

            assertThat(status(data)).isEqualTo(1);
        }
        assertThat(out.toString())
                .contains("Drover runs on " + data.root())
                .contains(
                        "database PostgreSQL does not run; 'drover up' restarts it, see 'drover"
                                + " doctor'");
        assertThat(err.toString()).as("no raw error of gRPC").isEmpty();
    }

    @Test
    @DisplayName("If the API does not respond, status says so in one sentence without gRPC terms")
    void reportsAnApiThatDoesNotRespond() {
        DataDirectory data = new DataDirectory(folder.resolve("data"));
        try (DirectoryLock _ = data.createAndLock()) {
            RunningDeployment.ofCurrentProcess(1, 1, 1, 4, false)
                    .write(data.runningDeploymentFile());

            assertThat(status(data)).isEqualTo(1);
        }
        assertThat(out.toString()).contains("database external (--postgres)");
        assertThat(err.toString())
                .contains(data.log().toString())
                .doesNotContain("UNAVAILABLE:", "Exception");
    }

    private int status(DataDirectory data) {
        return CommandTreeTest.tree(out, err).execute("status", "--data", data.root().toString());
    }
}
