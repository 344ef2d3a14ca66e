package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.opsagent.main.RealProcessNode;
import drover.opsagent.main.Waits;
import java.io.IOException;
import java.nio.file.Files;
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

    private String upgradeAndFindRun() {
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        await().atMost(Waits.LIMIT).until(() -> runs(digest(newProgram)));
        return gateway.lastHeartbeat().getPrograms(0).getRunId();
    }

    private AttemptStatus restoreThatChangesNothing(String run) {
        gateway.send(restore(2, 1));
        AttemptStatus status = end(2);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(gateway.lastHeartbeat().getPrograms(0).getRunId()).isEqualTo(run);
        assertThat(gateway.lastHeartbeat().getPrograms(0).getRunningDigest())
                .isEqualTo(digest(newProgram).value());
        return status;
    }

    @Test
    @DisplayName("D15: a restore into a read-only directory is refused while the program runs")
    void refusesARestoreIntoAReadOnlyDirectory() {
        String run = upgradeAndFindRun();
        remount(configs, "ro");
        AttemptStatus status = restoreThatChangesNothing(run);
        assertThat(status.getReason()).isEqualTo("DISK_ERROR");
        assertThat(status.getDetail())
                .contains("cannot replace /etc/app.toml")
                .contains("Read-only file system");
        remount(configs, "rw");
        gateway.send(restore(3, 1));
        assertThat(end(3).getOutcome())
                .as("once the directory is repaired")
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
    }

    @Test
    @DisplayName("D15: a restore to a full file system is refused while the program runs")
    void refusesARestoreToAFullFileSystem() throws IOException {
        Path file = configs.resolve("app.toml");
        byte[] content = Files.readAllBytes(file);
        assumeTrue(
                Tool.run("mount", "-t", "tmpfs", "-o", "size=64k", "t", configs.toString()) == 0,
                "This user may not mount a file system");
        try {
            Files.write(file, content);
            String run = upgradeAndFindRun();
            assertThat(
                            Tool.run(
                                    "dd",
                                    "if=/dev/zero",
                                    "of=" + configs.resolve("log"),
                                    "bs=4k",
                                    "count=100"))
                    .as("dd fails when the file system is full")
                    .isNotZero();
            assertThat(restoreThatChangesNothing(run).getReason()).isEqualTo("DISK_FULL");
        } finally {
            Tool.run("umount", "--lazy", configs.toString());
        }
    }

    @Test
    @DisplayName("D15: a file that is a mount of its own is found before the program is stopped")
    void findsAMountedFile() {
        Path file = configs.resolve("app.toml");
        assertThat(bind(file)).isZero();
        try {
            AttemptStatus status = upgradeThatChangesNothing();
            assertThat(status.getReason()).isEqualTo("DISK_ERROR");
            assertThat(status.getDetail()).contains("/etc/app.toml").contains("is a mount");
        } finally {
            Tool.run("umount", "--lazy", file.toString());
        }
    }

    @Test
    @DisplayName("D15: an immutable file is found before the program is stopped")
    void findsAnImmutableFile() {
        Path file = programs.resolve("app");
        assumeTrue(
                Tool.run("chattr", "+i", file.toString()) == 0,
                "This file system has no immutable files");
        try {
            AttemptStatus status = upgradeThatChangesNothing();
            assertThat(status.getReason()).isEqualTo("DISK_ERROR");
            assertThat(status.getDetail()).contains("/bin/app").contains("immutable");
        } finally {
            Tool.run("chattr", "-i", file.toString());
        }
    }
}
