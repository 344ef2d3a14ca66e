package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.disk.Disk;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.preflight.PreflightReport;
import drover.opsagent.preflight.PreflightReportAssert;
import drover.opsagent.runtime.ActionFailed;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** D15, D16: what is verified before the program is stopped, and what the verification changes. */
class RestorePreconditionsTest {
    private static final Path BACKUP = SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1");
    private static final Path BIN = SimulatedNode.ROOT.resolve("bin");
    private static final Path ETC = SimulatedNode.ROOT.resolve("etc");
    private static final Path RUN = SimulatedNode.STATE.resolve("run/app");
    private static final long TIB = 1L << 40;

    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    private void removeDirectory(Path directory) {
        node.disk.list(directory).forEach(node.disk::delete);
        node.disk.delete(directory);
        node.disk.syncDirectory(SimulatedNode.ROOT);
        assertThat(node.disk.kind(directory)).isEqualTo(Disk.EntryKind.ABSENT);
    }

    private void upgrade() {
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    private void restoreSucceeds() {
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(journal(2).ending().detail()).isEmpty();
        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        isAllOld();
    }

    private void restoreIsRefused(ReasonCode reason) {
        int started = node.spawned.size();
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(journal(2).ending().reason()).isEqualTo(reason);
        assertThat(journal(2).ending().detail())
                .as("a rollback has no retry")
                .isNotEmpty()
                .doesNotContain("retry");
        assertThat(node.spawned).as("it was not stopped").hasSize(started);
        assertThat(node.processes.allProcesses()).hasSize(1);
    }

    private void isAllOld() {
        assertThat(
                        node.isAll(
                                SimulatedNode.OLD,
                                SimulatedNode.OLD_CONFIG,
                                SimulatedNode.OLD_PEERS,
                                "old"))
                .isTrue();
        assertThat(node.violations).isEmpty();
    }

    /** Leaves so many bytes free. */
    private void limitFreeBytes(long bytes) {
        node.disk.limitCapacity(TIB);
        node.disk.limitCapacity(TIB - node.disk.freeBytes(SimulatedNode.ROOT) + bytes);
    }

    private Journal journal(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt));
    }

    @ParameterizedTest
    @ValueSource(strings = {"etc", "bin"})
    @DisplayName("D15: a directory that was removed while the new version runs is created again")
    void restoresIntoARemovedDirectory(String directory) {
        upgrade();
        removeDirectory(SimulatedNode.ROOT.resolve(directory));
        restoreSucceeds();
    }

    @ParameterizedTest
    @ValueSource(strings = {"etc", "bin"})
    @DisplayName("D17: so it is by a rollback on the node")
    void rollsBackLocallyIntoARemovedDirectory(String directory) {
        upgrade();
        removeDirectory(SimulatedNode.ROOT.resolve(directory));
        Journal back = agent.processor.rollBackLastAttempt();
        assertThat(back.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        isAllOld();
    }

    @Test
    @DisplayName("D15: a directory that could not be created again is found before the stop")
    void refusesARestoreThatCannotCreateADirectory() {
        upgrade();
        removeDirectory(ETC);
        node.disk.denyNewFiles(SimulatedNode.ROOT);
        restoreIsRefused(ReasonCode.DISK_ERROR);
        assertThat(journal(2).ending().detail()).contains("/etc/app.toml");
    }

    @Test
    @DisplayName("D16: a removed directory needs an inode, too")
    void countsTheInodesOfRemovedDirectories() {
        upgrade();
        removeDirectory(ETC);
        node.disk.limitNewFiles(11);
        assertThatThrownBy(this::requireRestorable)
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("11 free inodes and needs 12");
        node.disk.limitNewFiles(12);
        requireRestorable();
    }

    /** The check of a restore without its attempt. */
    private void requireRestorable() {
        agent.runtime.requireRestorable(BACKUP, journal(1).before().requireRecorded());
    }

    @Test
    @DisplayName("D15: a program file that was removed while the new version runs is restored")
    void restoresARemovedProgramFile() {
        upgrade();
        node.disk.delete(BIN.resolve("app"));
        restoreSucceeds();
    }

    @Test
    @DisplayName("D15: so it is if the new version is down because of it")
    void restoresARemovedProgramFileOfAProgramThatIsDown() {
        upgrade();
        node.disk.delete(BIN.resolve("app"));
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        restoreSucceeds();
    }

    @Test
    @DisplayName("D16: a restore needs free space for the agent's own records")
    void refusesARestoreIfTheStateDirectoryIsFull() {
        upgrade();
        limitFreeBytes(200 << 10);
        restoreIsRefused(ReasonCode.DISK_FULL);
        assertThat(journal(2).ending().detail())
                .contains("/state")
                .contains("nothing was changed")
                .contains("clear the node if it is failed_rollback, then roll back again")
                .doesNotContain("retry");
        node.disk.limitCapacity(TIB);
        agent.processor.process(SimulatedNode.restore(3, 1));
        assertThat(journal(3).ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
    }

    @Test
    @DisplayName("D16: a restore of a version that filled the disk needs no margin of an upgrade")
    void restoresOnANearlyFullDisk() {
        upgrade();
        limitFreeBytes(300 << 10);
        restoreSucceeds();
    }

    @Test
    @DisplayName("D4: after the stop, no sentence says that nothing was changed")
    void doesNotClaimThatNothingWasChangedAfterTheStop() {
        upgrade();
        node.disk.setWriteHook(
                () -> {
                    if (node.processes.allProcesses().isEmpty()) {
                        node.disk.denyNewFiles(ETC);
                    }
                });
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal(2).ending().detail())
                .contains("/etc/app.toml")
                .endsWith("After the clear, roll back again.")
                .doesNotContain("nothing was");
    }

    @Test
    @DisplayName("D15: a record of the run that cannot be written is found before a restore stops")
    void refusesARestoreIfTheRunCannotBeRecorded() {
        upgrade();
        node.disk.denyNewFiles(RUN);
        restoreIsRefused(ReasonCode.DISK_ERROR);
        assertThat(journal(2).ending().detail()).contains("its own files");
    }

    @Test
    @DisplayName("D15: so it is by an upgrade and by a preflight")
    void endsAnUpgradeBeforeTheStopIfTheRunCannotBeRecorded() {
        node.disk.denyNewFiles(RUN);
        PreflightReport report =
                agent.processor.preflight(
                        new PreflightRequest("asked-1", SimulatedNode.upgrade(0)));
        PreflightReportAssert.assertThatReport(report)
                .findsJust(UpgradeAction.STOP_NODE, ReasonCode.DISK_ERROR);
        int started = node.spawned.size();
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(journal(1).ending().reason()).isEqualTo(ReasonCode.DISK_ERROR);
        assertThat(journal(1).mayHaveMutated()).isFalse();
        assertThat(node.spawned).hasSize(started);
        isAllOld();
    }

    @Test
    @DisplayName("D16: a restore that ends for want of space has taken none")
    void reservesNothingForARestoreThatDoesNotFit() {
        upgrade();
        limitFreeBytes(5); // the old program has more
        int[] writes = {0};
        node.disk.setWriteHook(() -> writes[0]++);
        assertThatThrownBy(this::requireRestorable)
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.DISK_FULL));
        assertThat(writes[0]).isZero();
    }

    @Test
    @DisplayName("D16: a preflight of an upgrade that does not fit reserves no space")
    void reservesNothingForAnUpgradeThatDoesNotFit() {
        limitFreeBytes(4L << 20);
        long free = node.disk.freeBytes(SimulatedNode.ROOT);
        long[] least = {free};
        node.disk.setWriteHook(
                () -> least[0] = Math.min(least[0], node.disk.freeBytes(SimulatedNode.ROOT)));
        PreflightReport report =
                agent.processor.preflight(
                        new PreflightRequest("asked-1", SimulatedNode.upgrade(0)));
        PreflightReportAssert.assertThatReport(report)
                .finds(UpgradeAction.BACKUP_STATE, ReasonCode.DISK_FULL);
        assertThat(free - least[0]).as("one byte of each trial").isLessThanOrEqualTo(1);
    }

    @Test
    @DisplayName("D15: a crash during a trial leaves nothing once an attempt has ended")
    void deletesTheFilesOfACrashedTrial() {
        upgrade();
        removeDirectory(ETC);
        String owner = Digest.of(SimulatedNode.STATE.toString()).shortHex().substring(0, 8);
        String name = ".drover-" + owner + "89abcdef0123456789abcdef";
        Path left = SimulatedNode.ROOT.resolve(name);
        Path foreign = SimulatedNode.ROOT.resolve(".drover-notes");
        Path ofAnotherAgent = SimulatedNode.ROOT.resolve(".drover-" + "0".repeat(32));
        node.disk.createDirectory(left);
        node.disk.createDirectory(foreign);
        node.disk.createDirectory(ofAnotherAgent);
        node.disk.createExclusive(left.resolve(name)).close();
        restoreSucceeds();
        assertThat(node.disk.list(SimulatedNode.ROOT))
                .containsExactlyInAnyOrder(foreign, ofAnotherAgent, BIN, ETC);
    }
}
