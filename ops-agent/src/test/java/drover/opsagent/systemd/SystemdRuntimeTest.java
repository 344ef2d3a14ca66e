package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Units under the care of an agent; systemd is simulated, the rest is what runs on machines. */
class SystemdRuntimeTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private final UnitNode node = UnitNode.running();

    @Test
    void takesOverWhatRunsWithoutTouchingIt() {
        String before = node.fingerprint();
        int starts = node.spawned.size();
        UnitNode.Agent agent = node.agent(1).boot();
        assertThat(up(agent).digest()).isEqualTo(Digest.of(UnitNode.OLD));
        assertThat(up(agent).configDigest()).isEqualTo(UnitNode.oldConfigDigest());
        assertThat(node.fingerprint()).isEqualTo(before);
        assertThat(node.spawned).hasSize(starts);
    }

    @Test
    void upgradesProgramConfigurationAndUnitFile() {
        UnitNode.Agent agent = node.agent(1).boot();
        agent.processor.process(UnitNode.upgrade(1));
        assertThat(outcome(agent, 1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.isNew()).isTrue();
        assertThat(up(agent).configDigest()).isEqualTo(UnitNode.newConfigDigest());
        assertThat(node.violations).isEmpty();
        assertThat(node.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.ABSENT);
    }

    @Test
    @DisplayName("D12: a unit in the middle of an attempt is not started by whoever tries")
    void unitDoesNotStartDuringAnAttempt() {
        UnitNode.Agent agent = node.agent(1).boot();
        agent.runtime.stop(
                UnitNode.APP, StopSettings.RUNTIME_DEFAULT, node.ticker.deadlineIn(MINUTE));
        node.units.start(UnitNode.UNIT, node.ticker.deadlineIn(MINUTE));
        assertThat(node.processes.allProcesses()).isEmpty();
        node.units.boot();
        assertThat(node.processes.allProcesses()).isEmpty();
        agent.runtime.allowStarts(UnitNode.APP);
        node.units.start(UnitNode.UNIT, node.ticker.deadlineIn(MINUTE));
        assertThat(node.processes.allProcesses()).hasSize(1);
    }

    @Test
    void endsWhatAStopLeavesBehind() {
        UnitNode behind = UnitNode.running(Map.of(), "ExecStart=/usr/bin/app\nKillMode=process\n");
        assertThat(behind.processes.allProcesses()).hasSizeGreaterThan(1);
        behind.agent(1)
                .boot()
                .runtime
                .stop(UnitNode.APP, StopSettings.RUNTIME_DEFAULT, behind.ticker.deadlineIn(MINUTE));
        assertThat(behind.units.members("/system.slice/app.service")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "PT300S, 600, 300", // it ends in its own time
        "PT300S, 90, 90", // it is killed after the timeout
        "PT300S, , 50", // after what the action leaves without a setting
        "PT5S, 600, 5"
    })
    @DisplayName("systemd stops the unit in its own way; the timeout is how long the agent waits")
    void waitsForTheTimeoutOfTheSettings(
            Duration needed, @Nullable Integer timeout, int expectedSeconds) {
        UnitNode slow =
                UnitNode.running(
                        Map.of(),
                        UnitNode.OLD_UNIT
                                + SimulatedUnits.STOP_SECONDS
                                + "="
                                + needed.toSeconds()
                                + "\n");
        StopSettings settings =
                new StopSettings(
                        Optional.empty(), Optional.ofNullable(timeout).map(Duration::ofSeconds));
        UnitNode.Agent agent = slow.agent(1).boot();
        long before = slow.ticker.nanos();

        agent.runtime.stop(
                UnitNode.APP,
                settings,
                slow.ticker.deadlineIn(MINUTE.plus(settings.timeBeyondDefault())));

        assertThat(Duration.ofNanos(slow.ticker.nanos() - before))
                .isBetween(
                        Duration.ofSeconds(expectedSeconds),
                        Duration.ofSeconds(expectedSeconds + 1));
        assertThat(slow.processes.allProcesses()).isEmpty();
    }

    @Test
    @DisplayName("A signal is refused: the unit file names it")
    void refusesASignalInTheSettings() {
        LaunchSpec plain = UnitNode.spec().launch();
        LaunchSpec launch =
                new LaunchSpec(
                        plain.path(),
                        plain.service(),
                        List.of(),
                        Map.of(),
                        "",
                        plain.identity(),
                        new StopSettings(Optional.of(StopSignal.INT), Optional.empty()));
        UnitNode.Agent agent = node.agent(1).boot();

        assertThatThrownBy(
                        () ->
                                agent.runtime.requireLaunchable(
                                        new ProgramSpec(UnitNode.APP, "systemd", launch, List.of()),
                                        List.of()))
                .hasMessage(
                        "Under systemd the unit file names the signal of a stop: set"
                                + " KillSignal=SIGINT there and leave stop.signal out of the"
                                + " profile.");
    }

    @Test
    @DisplayName("D4 D20: a unit that cannot be stopped continues, and nothing is installed")
    void failsAnUpgradeOfAUnitThatCannotBeStopped() {
        UnitNode hanging = UnitNode.running();
        UnitNode.Agent agent = hanging.agent(1).boot();
        hanging.units.setStopsDenied(true);
        agent.processor.process(UnitNode.upgrade(1));
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.STOP_FAILED);
        assertThat(hanging.isOld()).isTrue();
        assertThat(hanging.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.ABSENT);
        assertThat(agent.status().desired()).isTrue();
    }

    @Test
    @DisplayName("D15: a restore of a unit that cannot be stopped is refused and can be repeated")
    void refusesARestoreOfAUnitThatCannotBeStopped() {
        UnitNode hanging = UnitNode.running();
        UnitNode.Agent agent = hanging.agent(1).boot();
        agent.processor.process(UnitNode.upgrade(1));
        int starts = hanging.spawned.size();
        hanging.units.setStopsDenied(true);

        agent.processor.process(UnitNode.restore(2, 1));

        assertThat(outcome(agent, 2)).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(hanging.isNew()).isTrue();
        assertThat(hanging.spawned).hasSize(starts);
        assertThat(hanging.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.ABSENT);
        hanging.processes.allProcesses().keySet().forEach(hanging.processes::crash);
        agent.supervise();
        assertThat(hanging.isNew()).as("supervised").isTrue();
        hanging.units.setStopsDenied(false);
        agent.processor.process(UnitNode.restore(3, 1));
        assertThat(outcome(agent, 3)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(hanging.isOld()).isTrue();
    }

    @Test
    void aNodeThatCouldNotBeBroughtBackStaysGatedUntilItIsCleared() {
        Map<Digest, ProgramBehavior> behaviors =
                new HashMap<>(Map.of(Digest.of(UnitNode.NEW), ProgramBehavior.FALLS));
        UnitNode broken = UnitNode.running(behaviors, UnitNode.OLD_UNIT);
        failRestoreOfAttemptOne(broken, broken.agent(1).boot());
        UnitNode.Agent next = broken.agent(2).boot();
        assertThat(broken.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.FILE);
        next.processor.process(UnitNode.clear(2));
        assertThat(broken.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.ABSENT);
    }

    @Test
    @DisplayName("D14: a clear starts a unit that is down; if it is refused, the gate stays open")
    void startsARepairedUnitWhenTheNodeIsCleared() {
        Map<Digest, ProgramBehavior> behaviors =
                new HashMap<>(Map.of(Digest.of(UnitNode.NEW), ProgramBehavior.FALLS));
        UnitNode broken = UnitNode.running(behaviors, UnitNode.OLD_UNIT);
        UnitNode.Agent agent = broken.agent(1).boot();
        failRestoreOfAttemptOne(broken, agent);

        agent.processor.process(UnitNode.clear(2));
        assertThat(outcome(agent, 2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(broken.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.ABSENT);

        behaviors.clear();
        agent.processor.process(UnitNode.clear(3));
        assertThat(outcome(agent, 3)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(agent.status()).isInstanceOf(ProgramState.Up.class);
        assertThat(broken.isNew()).isTrue();
    }

    @Test
    @DisplayName("D3 D12: a clear of files of two versions leaves the gate closed")
    void keepsTheGateOfAMixtureClosed() {
        UnitNode broken =
                UnitNode.running(
                        Map.of(Digest.of(UnitNode.NEW), ProgramBehavior.FALLS), UnitNode.OLD_UNIT);
        UnitNode.Agent agent = broken.agent(1).boot();
        failRestoreOfAttemptOne(broken, agent);
        put(broken, UnitNode.PROGRAM, UnitNode.OLD);
        put(broken, UnitNode.CONFIG, UnitNode.OLD_CONFIG);

        agent.processor.process(UnitNode.clear(2));
        assertThat(outcome(agent, 2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(Objects.requireNonNull(agent.journal(2)).ending().detail())
                .contains("/usr/bin/app is of the version before", UnitNode.UNIT_FILE.value());
        assertThat(broken.disk.kind(UnitNode.GATE)).isEqualTo(Disk.EntryKind.FILE);

        put(broken, UnitNode.UNIT_FILE, UnitNode.bytes(UnitNode.OLD_UNIT));
        agent.processor.process(UnitNode.clear(3));
        assertThat(outcome(agent, 3)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(broken.isOld()).isTrue();
        assertThat(broken.violations).isEmpty();
    }

    /** The new program crashes at its start, and the backup is damaged by then. */
    private static void failRestoreOfAttemptOne(UnitNode node, UnitNode.Agent agent) {
        node.processes.addStartObserver(
                _ ->
                        node.disk.putDurableFile(
                                UnitNode.STATE.resolve(".upgrade-backup/rollout-1/1/file-0"),
                                UnitNode.bytes("damaged"),
                                FileAttributes.PRIVATE));
        agent.processor.process(UnitNode.upgrade(1));
        assertThat(outcome(agent, 1)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
    }

    private static void put(UnitNode node, NodePath file, byte[] content) {
        Path path = Path.of(file.value());
        node.disk.putDurableFile(path, content, node.disk.attributes(path));
    }

    @Test
    void goesBackFromAProgramThatFalls() {
        UnitNode falling =
                UnitNode.running(
                        Map.of(Digest.of(UnitNode.NEW), ProgramBehavior.FALLS), UnitNode.OLD_UNIT);
        UnitNode.Agent agent = falling.agent(1).boot();
        agent.processor.process(UnitNode.upgrade(1));
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.START_FAILED);
        assertThat(falling.isOld()).isTrue();
    }

    @Test
    @DisplayName("F1: each start by systemd counts as one; three of them are a crash loop")
    void countsTheStartsOfSystemd() {
        UnitNode.Agent agent = node.agent(1).boot();
        for (int i = 1; i <= 3; i++) {
            assertThat(agent.runtime.isCrashLooping(UnitNode.APP)).isFalse();
            node.processes.allProcesses().keySet().forEach(node.processes::crash);
            node.ticker.pause(Duration.ofSeconds(20));
            agent.supervise();
            assertThat(up(agent).startsSince()).isEqualTo(i);
        }
        assertThat(agent.runtime.isCrashLooping(UnitNode.APP)).isTrue();
        assertThat(agent.runtime.describeLastCrash(UnitNode.APP))
                .isEqualTo(
                        "with no failure in the journal, as after exit code 0 (it printed nothing)");
        agent.runtime.resetRestartCounters(UnitNode.APP);
        assertThat(up(agent).startsSince()).isZero();
    }

    @Test
    void startsAgainWhatFailedAndSystemdWillNotStart() {
        UnitNode once = UnitNode.running(Map.of(), "ExecStart=/usr/bin/app\n");
        UnitNode.Agent agent = once.agent(1).boot();
        once.processes.allProcesses().keySet().forEach(once.processes::crash);
        agent.supervise();
        assertThat(once.processes.allProcesses()).hasSize(1);
        assertThat(up(agent).startsSince()).isEqualTo(1);
    }

    @Test
    void leavesAStoppedUnitAlone() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.units.stop(UnitNode.UNIT, node.ticker.deadlineIn(MINUTE));
        agent.supervise();
        assertThat(agent.status()).isEqualTo(new ProgramState.Down(false, 0));
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    @Test
    void measuresAProcessThatAnotherStarted() {
        UnitNode.Agent agent = node.agent(1).boot();
        assertThat(up(agent).configDigest()).isEqualTo(UnitNode.oldConfigDigest());
        node.disk.putDurableFile(
                Path.of(UnitNode.CONFIG.value()), UnitNode.bytes("by hand"), FileAttributes.CONFIG);
        assertThat(up(agent).configDigest()).isEqualTo(UnitNode.oldConfigDigest());
        node.violations.clear();
        node.units.stop(UnitNode.UNIT, node.ticker.deadlineIn(MINUTE));
        node.units.start(UnitNode.UNIT, node.ticker.deadlineIn(MINUTE));
        assertThat(up(agent).configDigest()).isNotEqualTo(UnitNode.oldConfigDigest());
    }

    @Test
    @DisplayName("D5: a process that systemd has just made is not yet what it is going to run")
    void verifiesTheProgramAndNotItsLauncher() {
        UnitNode.Agent agent = node.agent(1).boot();
        Processes.Pid main = node.processes.allProcesses().keySet().iterator().next();
        node.processes.pretendExecutable(main, "/usr/lib/systemd/systemd");
        assertThat(agent.status()).isEqualTo(new ProgramState.Down(true, 0));
        node.processes.pretendExecutable(main, "/usr/bin/dash");
        assertThat(up(agent).digest()).isNotEqualTo(Digest.of(UnitNode.OLD));
        node.processes.clearPretendedExecutables();
        assertThat(up(agent).digest()).isEqualTo(Digest.of(UnitNode.OLD));
    }

    @Test
    void startsWhatTheMachineDoesNot() {
        node.agent(1).boot();
        UnitNode after = node.afterPowerFailure(0);
        after.units.stop(
                UnitNode.UNIT, after.ticker.deadlineIn(MINUTE)); // as one that is not enabled
        after.agent(2).boot();
        assertThat(after.processes.allProcesses()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "app",
                "../app.service",
                "-app.service",
                "app.service --now",
                "a/b.service",
                "app@.service",
                "drover-agent.service",
                "ops-agent@1.service",
                "other.service"
            })
    @DisplayName("H15: what is no unit that this agent may care for is refused before anything")
    void refusesUnitsThatAreNone(String service) {
        node.settings.put("units", "app.service");
        UnitNode.Agent agent = node.agent(1).boot();
        assertThatThrownBy(() -> agent.runtime.requireLaunchable(UnitNode.spec(service), List.of()))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        e -> assertThat(e.reason()).isEqualTo(ReasonCode.PROGRAM_REFUSED));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Type=oneshot",
                "RemainAfterExit=yes",
                "CanStart=no",
                "TriggeredBy=app.socket"
            })
    void refusesUnitsWhoseRunningCannotBeVerified(String option) {
        UnitNode odd = UnitNode.found(Map.of(), "ExecStart=/usr/bin/app\n" + option + "\n");
        UnitNode.Agent agent = odd.agent(1).boot();
        assertThatThrownBy(() -> agent.runtime.requireLaunchable(UnitNode.spec(), List.of()))
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("app.service");
    }

    @ParameterizedTest
    @CsvSource({
        "app.service, true",
        "app.service.d/limits.conf, true",
        "app.service.d/zz-drover-gate.conf, false",
        "app.service.d/more/limits.conf, false",
        "other.service, false",
        "drover-agent.service.d/mine.conf, false",
        "multi-user.target.wants/other.service, false",
        "app@.service, false",
    })
    @DisplayName("H11: among the unit files an upgrade writes its own unit's alone")
    void writesNoUnitButItsOwn(String file, boolean allowed) {
        UnitNode.Agent agent = node.agent(1).boot();
        List<NodePath> paths = List.of(new NodePath("/etc/systemd/system/" + file));
        ThrowingCallable preflight = () -> agent.runtime.requireLaunchable(UnitNode.spec(), paths);
        if (allowed) {
            assertThatCode(preflight).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(preflight).hasMessageContaining("is not a file of app.service");
        }
    }

    @Test
    void refusesAnUpgradeToAnotherUnit() {
        node.disk.putDurableFile(
                Path.of("/etc/systemd/system/other.service"),
                UnitNode.bytes(UnitNode.OLD_UNIT),
                FileAttributes.CONFIG);
        node.units.reload(node.ticker.deadlineIn(MINUTE));
        UnitNode.Agent agent = node.agent(1).boot();
        ProgramSpec other = UnitNode.spec("other.service");
        assertThatThrownBy(() -> agent.runtime.requireLaunchable(other, List.of()))
                .hasMessageContaining("adopt the program anew");
    }

    @Test
    void refusesWorkWhileSystemdIsUnresponsiveAndKeepsItsOpinion() {
        UnitNode.Agent agent = node.agent(1).boot();
        node.units.setUnresponsive(true);
        node.ticker.pause(MINUTE);
        agent.processor.process(UnitNode.upgrade(1));
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.RUNTIME_UNAVAILABLE);
        assertThat(up(agent).digest()).isEqualTo(Digest.of(UnitNode.OLD));
    }

    @Test
    void refusesSettingsThatItDoesNotKnow() {
        node.settings.put("unit", "app.service");
        assertThatThrownBy(() -> node.agent(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no setting 'unit'");
    }

    private static ProgramState.Up up(UnitNode.Agent agent) {
        assertThat(agent.status()).isInstanceOf(ProgramState.Up.class);
        return (ProgramState.Up) agent.status();
    }

    private static AttemptOutcome outcome(UnitNode.Agent agent, long attempt) {
        return Objects.requireNonNull(agent.journal(attempt)).ending().outcome();
    }
}
