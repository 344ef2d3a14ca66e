package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.opsagent.main.RealProcessNode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A directory whose mount options change between preflight and start. */
class MountedDirectoryIT extends RealProcessNode {
    private Path programs = Path.of("");
    private Path configs = Path.of("");

    @BeforeEach
    void mount() {
        programs = root.resolve("bin");
        configs = root.resolve("etc");
        assumeTrue(
                bind(programs) == 0 && bind(configs) == 0, "This user may not mount a directory");
    }

    @AfterEach
    void unmount() {
        Tool.run("umount", "--lazy", programs.toString());
        Tool.run("umount", "--lazy", configs.toString());
    }

    private static int bind(Path directory) {
        return Tool.run("mount", "--bind", directory.toString(), directory.toString());
    }

    private static void remount(Path directory, String option) {
        assertThat(Tool.run("mount", "-o", "remount,bind," + option, directory.toString()))
                .isZero();
    }

    private AttemptStatus upgradeThatChangesNothing() {
        String run = gateway.lastHeartbeat().getPrograms(0).getRunId();
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status.getRunId()).isEqualTo(run);
        return status;
    }

    @Test
    @DisplayName("A directory mounted with noexec is found before the program is stopped")
    void findsNoexec() {
        remount(programs, "noexec");
        assertThat(upgradeThatChangesNothing().getReason()).isEqualTo("NOT_EXECUTABLE");
    }

    @Test
    @DisplayName("A read-only directory is found before the program is stopped, by its file")
    void findsAReadOnlyDirectory() {
        remount(configs, "ro");
        AttemptStatus status = upgradeThatChangesNothing();
        assertThat(status.getReason()).isEqualTo("DISK_ERROR");
        assertThat(status.getDetail())
                .contains("cannot replace /etc/app.toml")
                .contains("Read-only file system");
    }
}
