package drover.opsagent.systemd;

import static drover.opsagent.preflight.PreflightReportAssert.assertThatReport;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.model.program.StopSettings;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D12, D15: a stop whose gate or record cannot be written changes nothing. */
class UnitStopTest {
    private static final Path DROP_INS = Objects.requireNonNull(UnitNode.GATE.getParent());
    private static final Path RUN = UnitNode.STATE.resolve("run/app");

    private final UnitNode node = UnitNode.running();
    private final UnitNode.Agent agent = node.agent(1).boot();
    private String before = "";

    @BeforeEach
    void readNode() {
        before = node.fingerprint();
    }

    /** The drop-in directory of the unit is the owner's and takes no files. */
    private void denyGate() {
        node.disk.putDurableFile(
                DROP_INS.resolve("owner.conf"), new byte[0], FileAttributes.CONFIG);
        node.disk.denyNewFiles(DROP_INS);
        before = node.fingerprint();
    }

    private void stop() {
        agent.runtime.stop(
                UnitNode.APP,
                StopSettings.RUNTIME_DEFAULT,
                node.ticker.deadlineIn(Duration.ofMinutes(1)));
    }

    @Test
    @DisplayName("A unit that had to be killed is reported")
    void reportsAUnitThatHadToBeKilled() {
        UnitNode stubborn =
                UnitNode.running(
                        Map.of(Digest.of(UnitNode.OLD), ProgramBehavior.RUNS),
                        UnitNode.OLD_UNIT + SimulatedUnits.STOP_SECONDS + "=1000\n");
        UnitNode.Agent other = stubborn.agent(1).boot();

        String killed =
                other.runtime.stop(
                        UnitNode.APP,
                        StopSettings.RUNTIME_DEFAULT,
                        stubborn.ticker.deadlineIn(Duration.ofMinutes(1)));

        assertThat(killed)
                .isEqualTo("app.service did not end within 50 s of SIGTERM and was killed.");
    }

    @Test
    @DisplayName("So is one that systemd itself killed after the time of its unit file")
    void describesAKillBySystemd() {
        UnitProperties stopped =
                UnitProperties.parse(
                        """
                        ActiveState=failed
                        Result=timeout
                        ExecMainCode=2
                        ExecMainStatus=9
                        KillSignal=2
                        TimeoutStopUSec=1min 30s
                        """);

        assertThat(UnitController.describeKill(UnitNode.UNIT, stopped, Duration.ZERO))
                .isEqualTo(
                        "app.service did not end within the TimeoutStopSec of its unit file"
                                + " (1min 30s) of SIGINT and was killed.");
        assertThat(
                        UnitController.describeKill(
                                UnitNode.UNIT,
                                UnitProperties.parse("ActiveState=inactive\nResult=success\n"),
                                Duration.ZERO))
                .isEmpty();
    }

    private void isUnchanged() {
        assertThat(node.fingerprint()).isEqualTo(before);
        assertThat(agent.status().desired()).as("supervision continues").isTrue();
        assertThat(node.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.ABSENT);
        assertThat(node.violations).isEmpty();
    }

    private Journal journal(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt));
    }

    @Test
    @DisplayName("D15: a gate that cannot be written is found before an upgrade stops the unit")
    void endsAnUpgradeBeforeTheStop() {
        denyGate();
        int starts = node.spawned.size();
        agent.processor.process(UnitNode.upgrade(1));
        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(journal(1).ending().reason()).isEqualTo(ReasonCode.DISK_ERROR);
        assertThat(journal(1).ending().detail())
                .contains("start gate of app.service")
                .contains("nothing was changed");
        assertThat(journal(1).mayHaveMutated()).isFalse();
        assertThat(node.spawned).hasSize(starts);
        isUnchanged();
    }

    @Test
    @DisplayName("D15: so it is before a restore, which is refused")
    void refusesARestore() {
        agent.processor.process(UnitNode.upgrade(1));
        assertThat(node.isNew()).isTrue();
        denyGate();
        int starts = node.spawned.size();
        agent.processor.process(UnitNode.restore(2, 1));
        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(journal(2).ending().reason()).isEqualTo(ReasonCode.DISK_ERROR);
        assertThat(node.spawned).hasSize(starts);
        isUnchanged();
    }

    @Test
    @DisplayName("D15: and by a preflight")
    void findsItInAPreflight() {
        denyGate();
        assertThatReport(
                        agent.processor.preflight(
                                new PreflightRequest("asked", UnitNode.upgrade(0))))
                .findsJust(UpgradeAction.STOP_NODE, ReasonCode.DISK_ERROR);
        isUnchanged();
    }

    @Test
    @DisplayName("D15: a program file that was removed is restored")
    void restoresARemovedProgramFile() {
        agent.processor.process(UnitNode.upgrade(1));
        node.disk.delete(Path.of(UnitNode.PROGRAM.value()));
        agent.processor.process(UnitNode.restore(2, 1));
        assertThat(journal(2).ending().detail()).isEmpty();
        assertThat(journal(2).ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("D12: if the unit's record cannot be written, the gate is removed again")
    void opensTheGateIfTheRecordCannotBeWritten() {
        node.disk.denyNewFiles(RUN);
        assertThatThrownBy(this::stop).isInstanceOf(DiskFailure.class);
        isUnchanged();
        assertThat(node.disk.kind(DROP_INS)).isEqualTo(Disk.EntryKind.ABSENT);
    }

    @Test
    @DisplayName("D12: if the gate cannot be written, its directory is removed again")
    void deletesTheDirectoryOfAGateThatCannotBeWritten() {
        node.disk.denyNewFiles(DROP_INS);
        assertThatThrownBy(this::stop).isInstanceOf(DiskFailure.class);
        isUnchanged();
        assertThat(node.disk.kind(DROP_INS)).isEqualTo(Disk.EntryKind.ABSENT);
    }

    @Test
    @DisplayName("D12: if systemd does not answer, the gate is removed again")
    void opensTheGateIfSystemdDoesNotAnswer() {
        node.disk.setWriteHook(() -> node.units.setUnresponsive(true));
        assertThatThrownBy(this::stop)
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(ReasonCode.RUNTIME_UNAVAILABLE));
        node.disk.setWriteHook(() -> {});
        node.units.setUnresponsive(false);
        isUnchanged();
    }

    @Test
    @DisplayName("D12 D20: if systemd does not stop the unit, an upgrade leaves it as it was")
    void leavesAUnitThatIsNotStoppedAsItWas() {
        node.units.setStopsDenied(true);
        agent.processor.process(UnitNode.upgrade(1));
        assertThat(journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(journal(1).ending().reason()).isEqualTo(ReasonCode.STOP_FAILED);
        isUnchanged();
        assertThat(node.disk.kind(DROP_INS)).isEqualTo(Disk.EntryKind.ABSENT);
        isSupervised();
    }

    @Test
    @DisplayName("D12: a stop that failed is undone by its cancellation alone, as in all runtimes")
    void undoesAFailedStopWhenItIsCancelled() {
        node.units.setStopsDenied(true);
        assertThatThrownBy(this::stop)
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed -> assertThat(failed.reason()).isEqualTo(ReasonCode.STOP_FAILED));
        assertThat(node.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.FILE);
        agent.runtime.cancelStop(UnitNode.APP);
        agent.runtime.cancelStop(UnitNode.APP);
        isUnchanged();
        isSupervised();
    }

    private void isSupervised() {
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        agent.supervise();
        assertThat(node.isOld()).as("supervised").isTrue();
    }

    @Test
    @DisplayName("D12: wherever the disk fails, a stop that stops nothing changes nothing")
    void changesNothingWhicheverWriteFails() {
        int failed = 0;
        for (int failing = 0; ; failing++) {
            UnitNode other = UnitNode.running();
            UnitNode.Agent its = other.agent(1).boot();
            String as = other.fingerprint();
            int[] left = {failing};
            other.disk.setWriteHook(
                    () -> {
                        if (left[0]-- == 0) {
                            throw new DiskFailure("no luck", false, new IllegalStateException());
                        }
                    });
            try {
                its.runtime.stop(
                        UnitNode.APP,
                        StopSettings.RUNTIME_DEFAULT,
                        other.ticker.deadlineIn(Duration.ofMinutes(1)));
                break;
            } catch (DiskFailure _) {
                failed++;
            }
            assertThat(other.fingerprint()).as("write %d", failing).isEqualTo(as);
            assertThat(other.agent(2).boot().status().desired()).isTrue();
        }
        assertThat(failed).isGreaterThan(8);
    }
}
