package drover.opsagent.systemd.machine;

import static drover.opsagent.systemd.machine.UnitCommands.preflight;
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
 * A unit whose program lies on a small file system of its own, which takes no more files or changes
 * its mount options between preflight and start. Quotas cannot be enabled on a tmpfs of this
 * kernel: the disk model covers them ({@code ProcessDiskFaultsTest}).
 */
class MountedUnitDirectoryIT extends SystemdMachineNode {
    private static final String DIRECTORY = "/usr/local/bin";

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
        assertThat(status().getDetail()).contains("/usr/local/bin", "0 free inodes, 1 are required");
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
