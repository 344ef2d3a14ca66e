package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.preflight;
import static drover.opsagent.systemd.machine.UnitCommands.restore;
import static drover.opsagent.systemd.machine.UnitCommands.upgrade;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.ActionCheck;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.CheckOutcome;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A unit whose program is on a small separate file system, which takes no more files or changes its
 * mount options between preflight and start, or whose drop-in directory is read-only. Quotas cannot
 * be enabled on a tmpfs of this kernel: the disk model covers them ({@code ProcessDiskFaultsTest}).
 */
class MountedUnitDirectoryIT extends SystemdMachineNode {
    private static final String DIRECTORY = "/usr/local/bin";
    private static final String DROP_INS = "/etc/systemd/system/app.service.d";

    /** One more than the directory and the program. */
    private static final String ONE_FREE_INODE = "nr_inodes=3";

    @Override
    void prepareNode() {
        machine.query("umount", "--lazy", DIRECTORY);
        mount("size=1m");
    }

    /** A file system in place of the directory, with the program alone. */
    private void mount(String options) {
        String script =
                """
                cp -a DIR/app /run/app
                mount -t tmpfs -o mode=755,OPTIONS tmpfs DIR
                cp -a /run/app DIR
                """;
        machine.run("sh", "-ec", script.replace("DIR", DIRECTORY).replace("OPTIONS", options));
    }

    private void remount(String options) {
        machine.run("mount", "-o", "remount," + options, DIRECTORY);
    }

    @Test
    @DisplayName("B29: too few inodes are found before the program is stopped")
    void findsTooFewInodes() throws IOException {
        remount("nr_inodes=2");
        endsBeforeTheStop("DISK_FULL", upgrade(1, oldVersion, newVersion));
        assertThat(status().getDetail()).contains("/usr/local/bin", "0 free inodes and needs 1:");
    }

    @Test
    @DisplayName("B29: with the inodes that an attempt needs, it succeeds")
    void succeedsWithOneFreeInode() throws IOException {
        remount(ONE_FREE_INODE);
        send(upgrade(1, oldVersion, newVersion));
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(runningDigests()).containsExactly(newVersion.digest().value());
        assertThat(machine.run("sha256sum", DIRECTORY + "/app"))
                .startsWith(newVersion.digest().value().substring("sha256:".length()));
    }

    @Test
    @DisplayName("T6: too little space beside the program is found before it is stopped")
    void findsTooLittleSpace() throws IOException {
        remount("size=64k"); // the program has 44 KiB, and both exist for a moment
        endsBeforeTheStop("DISK_FULL", upgrade(1, oldVersion, newVersion));
        assertThat(status().getDetail()).contains("/usr/local/bin", "KiB");
    }

    @Test
    @DisplayName("B29: read-only between preflight and start")
    void findsReadOnlyAfterPreflight() throws IOException {
        preflightIsOk();
        remount("ro");
        endsBeforeTheStop("DISK_ERROR", upgrade(1, oldVersion, newVersion));
        assertThat(status().getDetail()).contains("/usr/local/bin/app", "Read-only file system");
    }

    @Test
    @DisplayName(
            "B01: noexec between preflight and start, which the agent's own mounts do not show")
    void findsNoExecAfterPreflight() throws IOException {
        preflightIsOk();
        remount("noexec");
        endsBeforeTheStop("NOT_EXECUTABLE", upgrade(1, oldVersion, newVersion));
        assertThat(status().getDetail()).contains("without noexec");
    }

    private void preflightIsOk() throws IOException {
        send(preflight(upgrade(1, oldVersion, newVersion)));
        await().atMost(SOON).until(() -> preflightReport().getChecksCount() > 0);
        assertThat(preflightReport().getChecksList())
                .extracting(ActionCheck::getOutcome)
                .doesNotContain(CheckOutcome.CHECK_OUTCOME_WOULD_FAIL);
    }

    @Test
    @DisplayName("D15: a drop-in directory that takes no gate is found before the unit is stopped")
    void findsAReadOnlyDropInDirectory() throws IOException {
        machine.run("mkdir", DROP_INS);
        machine.run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", DROP_INS);
        try {
            endsBeforeTheStop("DISK_ERROR", upgrade(1, oldVersion, newVersion));
            assertThat(status().getDetail())
                    .contains("start gate of app.service", "Read-only file system");
        } finally {
            machine.run("umount", DROP_INS);
        }
    }

    @Test
    @DisplayName("D15: so it is before a restore, which succeeds once the directory is repaired")
    void refusesARestoreWithoutAGate() throws IOException {
        send(upgrade(1, oldVersion, newVersion));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        machine.run("mkdir", DROP_INS);
        machine.run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", DROP_INS);
        String main = mainPid();
        try {
            send(restore(2, 1, oldVersion));
            assertThat(end(2))
                    .as("%s", status().getDetail())
                    .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
            assertThat(mainPid()).as("the same run").isEqualTo(main);
        } finally {
            machine.run("umount", DROP_INS);
        }
        send(restore(3, 1, oldVersion));
        assertThat(end(3))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("D15: a program file that was removed while it runs is restored")
    void restoresARemovedProgramFile() throws IOException {
        send(upgrade(1, oldVersion, newVersion));
        assertThat(end(1)).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        machine.run("rm", DIRECTORY + "/app");
        send(restore(2, 1, oldVersion));
        assertThat(end(2))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertIs(oldVersion);
    }

    @Test
    @DisplayName("B29: read-only after the stop: failed, and the old version runs again")
    void startsTheOldVersionIfTheDirectoryTurnsReadOnly() throws IOException {
        standStillAt("done STOP_NODE");
        send(upgrade(1, oldVersion, newVersion));
        awaitReached("done STOP_NODE");
        remount("ro");
        killAgentAndStopTheNextAt("");
        assertThat(end(1))
                .as("%s", status().getDetail())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(status().getDetail())
                .contains("Cannot create /usr/local/bin/", "Read-only file system");
        assertIs(oldVersion);
    }
}
