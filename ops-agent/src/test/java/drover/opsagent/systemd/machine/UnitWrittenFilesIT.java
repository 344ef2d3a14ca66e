package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.changed;
import static drover.opsagent.systemd.machine.UnitCommands.upgrade;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.Command;
import drover.opsagent.systemd.machine.UnitCommands.Version;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A unit whose program writes its own configuration at each start (B15). */
class UnitWrittenFilesIT extends SystemdMachineNode {
    private static final String CONFIG = UnitCommands.CONFIG.value();

    @Test
    @DisplayName("B15: a program may change a file with once or merge, and keeps it in an upgrade")
    void aFileThatTheProgramMayWriteIsNoDrift() throws IOException {
        Version from = writing(oldVersion);
        Version to = writing(newVersion);
        send(upgradeOfWritten(1, oldVersion, from));
        succeeds(1);
        assertThat(config()).isEqualTo(from.config() + "b = 1\n");
        String reported = heartbeat().getPrograms(0).getConfigDigest();
        // once and merge: no file in the command; Drover writes none that it wrote already.
        Version same = new Version(to.artifact(), to.digest(), from.config(), from.unit());
        send(upgradeOfWritten(2, from, same));
        succeeds(2);
        assertThat(config()).as("of the program").isEqualTo(from.config() + "b = 1\nb = 1\n");
        assertThat(heartbeat().getPrograms(0).getConfigDigest()).isEqualTo(reported);
        send(upgradeOfWritten(3, same, to));
        succeeds(3);
        assertThat(config()).as("merge: a new content").isEqualTo(to.config() + "b = 1\n");
    }

    @Test
    @DisplayName("B15: a rollback gives back what the program had made of its file")
    void aFailedStartGivesBackTheFileOfTheProgram() throws IOException {
        Version from = writing(oldVersion);
        send(upgradeOfWritten(1, oldVersion, from));
        succeeds(1);
        send(upgradeOfWritten(2, from, falling));
        assertThat(end(2))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(config()).isEqualTo(from.config() + "b = 1\nb = 1\n");
    }

    @Test
    @DisplayName(
            "B15: an upgrade succeeds although the program changes an always file; it is drift")
    void aFileThatTheProgramMayNotWriteIsDrift() throws IOException {
        send(upgrade(1, oldVersion, writing(newVersion)));
        succeeds(1);
        await().atMost(SOON)
                .until(
                        () ->
                                heartbeat().getFindingsList().stream()
                                        .anyMatch(it -> it.getDetail().contains(CONFIG)));
    }

    /** Before each start, and never after it, so that the content does not depend on the moment. */
    private static Version writing(Version version) {
        String start = "[Service]\nExecStartPre=/bin/sh -c 'echo b = 1 >> " + CONFIG + "'\n";
        return new Version(
                version.artifact(),
                version.digest(),
                version.config() + "\n",
                version.unit() + start);
    }

    /** With once or merge, which differ in manifests and plans only. */
    private static Command upgradeOfWritten(long attempt, Version from, Version to) {
        return changed(
                upgrade(attempt, from, to),
                work -> work.getProgramBuilder().addProgramWritten(CONFIG));
    }

    private void succeeds(long attempt) {
        assertThat(end(attempt))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }

    private String config() throws IOException {
        return Files.readString(machine.at(CONFIG));
    }
}
