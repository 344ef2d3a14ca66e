package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.opsagent.main.RealProcessNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a real file keeps, and what it lacks, when a real agent upgrades a running program. */
class FileAttributesIT extends RealProcessNode {
    private static final Instant BEFORE = Instant.parse("2025-12-24T18:00:00Z");

    private Path file() {
        return root.resolve("bin/app");
    }

    @Test
    @DisplayName("B02 B03: an upgrade keeps capability, special bits and attributes of the file")
    void anUpgradeKeepsWhatTheFileCarries() throws IOException {
        giveEverything();
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(attributes()).contains("6755 root root", "cap_net_raw=ep", "text");
    }

    @Test
    @DisplayName("B02 B03 D11: a restore gives all back, with the time")
    void aRestoreGivesAllBack() throws IOException {
        giveEverything();
        Files.setLastModifiedTime(file(), FileTime.from(BEFORE));
        String before = attributes();
        gateway.send(upgrade(1, newProgram, "601"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        gateway.send(restore(2, 1));
        assertThat(end(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(attributes()).isEqualTo(before);
        assertThat(Files.getLastModifiedTime(file()).toInstant()).isEqualTo(BEFORE);
    }

    @Test
    @DisplayName("B02 B03 D11: a compensated attempt gives all back, with the time")
    void aCompensatedAttemptGivesAllBack() throws IOException {
        giveEverything();
        Files.setLastModifiedTime(file(), FileTime.from(BEFORE));
        String before = attributes();
        gateway.send(upgrade(1, newProgram, "not-a-number"));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(attributes()).isEqualTo(before);
        assertThat(Files.getLastModifiedTime(file()).toInstant()).isEqualTo(BEFORE);
    }

    @Test
    @DisplayName("B01: a program whose file lost its permission to execute keeps running")
    void aFileThatMayNotBeExecutedEndsTheAttemptBeforeTheStop() throws IOException {
        String run = gateway.lastHeartbeat().getPrograms(0).getRunId();
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        gateway.send(upgrade(1, newProgram, "601"));
        AttemptStatus status = end(1);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status.getReason()).isEqualTo("NOT_EXECUTABLE");
        assertThat(status.getDetail()).contains("/bin/app (rw-r--r--");
        assertThat(status.getRunId()).isEqualTo(run);
        assertThat(
                        Files.exists(
                                state.resolve(
                                        ".upgrade-backup/6f1c3d0e-0000-4000-8000-000000000001/1")))
                .as("the backup of an attempt that changed nothing")
                .isFalse();
    }

    private void giveEverything() throws IOException {
        int failed =
                Tool.run("chmod", "6755", file().toString())
                        + Tool.run("setcap", "cap_net_raw+ep", file().toString());
        assumeTrue(failed == 0, "setcap is missing, or the kernel forbids it");
        Files.setAttribute(file(), "user:note", "text".getBytes(StandardCharsets.UTF_8));
    }

    private String attributes() throws IOException {
        byte[] note = (byte[]) Files.getAttribute(file(), "user:note");
        return Tool.output("stat", "-c", "%a %U %G", file().toString())
                + Tool.output("getcap", file().toString())
                + new String(note, StandardCharsets.UTF_8);
    }
}
