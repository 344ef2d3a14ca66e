package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.opsagent.main.RealProcessNode;
import drover.opsagent.main.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A restore of a program whose files were removed while the new version runs. */
class RemovedFilesIT extends RealProcessNode {
    private void upgrade() {
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        await().atMost(Waits.LIMIT).until(() -> runs(digest(newProgram)));
    }

    private void restoreSucceeds() {
        gateway.send(restore(2, 1));
        AttemptStatus status = end(2);
        assertThat(status.getOutcome())
                .as("%s", status.getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
    }

    @Test
    @DisplayName("D15: a directory that was removed is created again")
    void restoresARemovedDirectory() throws IOException {
        upgrade();
        Path file = root.resolve("etc/app.toml");
        Files.delete(file);
        Files.delete(root.resolve("etc"));
        restoreSucceeds();
        assertThat(file).exists();
        assertThat(root).isDirectoryNotContaining("glob:**/.drover-*");
    }

    @Test
    @DisplayName("D15: a program whose file was removed while it runs is restored")
    void restoresARemovedProgramFile() throws IOException {
        upgrade();
        Files.delete(root.resolve("bin/app"));
        restoreSucceeds();
    }
}
