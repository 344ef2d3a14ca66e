package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.program.StopSettings;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way back, row by row of the design's table. */
class CompensationTest {
    private static final Digest OLD = Digest.of(SimulatedNode.OLD);
    private static final Digest NEW = Digest.of(SimulatedNode.NEW);
    private static final Path BACKUP = SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1");

    private final Map<Digest, ProgramBehavior> behaviors = new HashMap<>();
    private final SimulatedNode node = SimulatedNode.running(behaviors);
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName("stop_node found it stopped: it stays stopped after the way back")
    void leavesAStoppedProgramStopped() {
        agent.runtime.stop(
                SimulatedNode.APP,
                StopSettings.RUNTIME_DEFAULT,
                node.ticker.deadlineIn(Duration.ofMinutes(1)));
        behaviors.put(NEW, ProgramBehavior.FALLS);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        supervise();
        assertThat(node.processes.allProcesses()).isEmpty();
        assertThat(status().desired()).isFalse();
        assertThat(node.disk.digest(SimulatedNode.ROOT.resolve("bin/app"))).isEqualTo(OLD);
    }

    @Test
    void upgradesAProgramThatFallsOverAndOver() {
        behaviors.put(OLD, ProgramBehavior.FALLS);
        fallOften();
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(isAllNew()).isTrue();
    }

    @Test
    @DisplayName("A program caught alive between two falls need not stay up after the way back")
    void putsBackAProgramThatFellOverAndOver() {
        fallOften();
        assertThat(agent.runtime.isCrashLooping(SimulatedNode.APP)).isTrue();
        assertThat(node.processes.allProcesses()).hasSize(1);
        behaviors.put(NEW, ProgramBehavior.FALLS);
        behaviors.put(OLD, ProgramBehavior.FALLS);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(status().desired()).isTrue();
    }

    @Test
    @DisplayName("A program that does not stay up after the way back is reported and watched on")
    void goesOnStartingAProgramThatIsBackButDown() {
        behaviors.put(NEW, ProgramBehavior.FALLS);
        behaviors.put(OLD, ProgramBehavior.FALLS);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(reason(1)).isEqualTo(ReasonCode.START_FAILED);
        assertThat(journal(1).ending().detail())
                .as("the failure of the old version and that of the new one")
                .contains(" The failure that was compensated: app ended within");
        behaviors.put(OLD, ProgramBehavior.RUNS);
        supervise();
        assertThat(isAllOld()).isTrue();
    }

    @Test
    @DisplayName("A failed attempt is at its source already: a restore of it starts nothing")
    void restoresAtOnceAfterAnAttemptThatWentBack() {
        behaviors.put(NEW, ProgramBehavior.FALLS);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        int started = node.spawned.size();
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.spawned).hasSize(started);
    }

    @Test
    @DisplayName("A restore of an attempt that touched nothing needs no backup, up or down")
    void restoresAtOnceWhatWasNeverModified() {
        node.disk.limitCapacity(4L << 20);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(node.disk.list(BACKUP)).isEmpty(); // no room, so not even a backup
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
    }

    @Test
    @DisplayName("D15 D16: a restore that could not write the old files leaves the program running")
    void refusesARestoreThatCannotWriteBeforeItStopsTheProgram() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("etc"));
        int started = node.spawned.size();
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(reason(2)).isEqualTo(ReasonCode.DISK_ERROR);
        assertThat(journal(2).ending().detail()).contains("/etc/app.toml").contains("nothing was");
        assertThat(isAllNew()).isTrue();
        assertThat(node.spawned).as("it was not stopped").hasSize(started);
    }

    @Test
    @DisplayName("D20: an upgrade of a program that cannot be stopped leaves it running")
    void leavesAProgramRunningThatCannotBeStopped() {
        behaviors.put(OLD, ProgramBehavior.HANGS);
        int started = node.spawned.size();
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(reason(1)).isEqualTo(ReasonCode.STOP_FAILED);
        assertThat(isAllOld()).isTrue();
        assertThat(node.spawned).hasSize(started);
        assertThat(status().desired()).isTrue();
        node.processes.allProcesses().keySet().forEach(node.processes::crash);
        supervise();
        assertThat(isAllOld()).as("supervised").isTrue();
    }

    @Test
    @DisplayName("D15: a restore of a program that cannot be stopped is refused, can be repeated")
    void refusesARestoreOfAProgramThatCannotBeStopped() {
        agent.processor.process(SimulatedNode.upgrade(1));
        int started = node.spawned.size();
        behaviors.put(NEW, ProgramBehavior.HANGS);

        agent.processor.process(SimulatedNode.restore(2, 1));

        assertThat(outcome(2)).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(reason(2)).isEqualTo(ReasonCode.STOP_FAILED);
        assertThat(journal(2).ending().detail()).endsWith("The program still runs.");
        assertThat(isAllNew()).isTrue();
        assertThat(node.spawned).hasSize(started);
        assertThat(status().desired()).isTrue();
        behaviors.remove(NEW);
        agent.processor.process(SimulatedNode.restore(3, 1));
        assertThat(outcome(3)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(isAllOld()).isTrue();
    }

    @Test
    @DisplayName("D14: if it is unknown what runs, a failed stop stays a failed rollback")
    void staysAFailedRollbackIfTheRunIsUnknown() {
        agent.processor.process(SimulatedNode.upgrade(1));
        behaviors.put(NEW, ProgramBehavior.HANGS);
        SimulatedNode.Agent next = node.agent(2);
        node.processes.denyInspection();
        next.boot().processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(reason(2)).isEqualTo(ReasonCode.STOP_FAILED);
    }

    @Test
    @DisplayName("D14: a new version that is bad and cannot be stopped is a failed rollback")
    void staysAFailedRollbackIfTheNewVersionCannotBeStopped() {
        behaviors.put(NEW, ProgramBehavior.HANGS);
        node.disk.setWriteHook(this::pretendThatTheNewVersionIsAnother);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(reason(1)).isEqualTo(ReasonCode.STOP_FAILED);
    }

    @Test
    @DisplayName("D15: if the disk fails after the stop, the upgraded version is started again")
    void startsTheUpgradedVersionAgainIfTheRestoreCannotWriteAnyMore() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.setWriteHook(
                () -> {
                    if (node.processes.allProcesses().isEmpty()) {
                        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("etc"));
                    }
                });
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal(2).ending().detail()).contains("The upgraded version is started again");
        supervise();
        assertThat(isAllNew()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 6, 10}) // the first two reads are those of the profile
    @DisplayName("D15: the upgraded version is started again also if a file could not be read")
    void startsTheUpgradedVersionAgainIfAFileCannotBeRead(int readsBefore) {
        agent.processor.process(SimulatedNode.upgrade(1));
        failReadAfterFilesStarted(new int[] {readsBefore});
        agent.processor.process(SimulatedNode.restore(2, 1));
        node.disk.setReadHook(() -> {});
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal(2).ending().detail())
                .contains("EIO", "The upgraded version is started again");
        supervise();
        assertThat(isAllNew()).isTrue();
    }

    private void failReadAfterFilesStarted(int[] left) {
        node.disk.setReadHook(
                () -> {
                    node.disk.setReadHook(() -> {});
                    Journal restore = agent.journal(2);
                    boolean files = restore != null && hasStarted(restore, UndoStep.FILES);
                    failReadAfterFilesStarted(left);
                    if (files && left[0]-- == 0) {
                        throw new DiskFailure("EIO", false, new IllegalStateException());
                    }
                });
    }

    private static boolean hasStarted(Journal journal, UndoStep step) {
        return journal.undos().stream().anyMatch(undo -> undo.step() == step);
    }

    @Test
    @DisplayName("D3: once a file that the program may write is restored, nothing is started")
    void startsNoMixtureIfTheRestoreFailsAfterItsFirstFile() {
        node.configOnly = true;
        agent.processor.process(SimulatedNode.configOnly(1, List.of(SimulatedNode.CONFIG)));
        Path config = SimulatedNode.ROOT.resolve("etc/app.toml");
        node.disk.setWriteHook(
                () -> {
                    if (node.disk.digest(config).equals(Digest.of(SimulatedNode.OLD_CONFIG))) {
                        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("etc"));
                    }
                });
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal(2).ending().detail()).doesNotContain("started again");
        supervise();
        assertThat(node.processes.allProcesses()).isEmpty();
        assertThat(node.violations).isEmpty();
    }

    @Test
    @DisplayName("A new version that was found bad is not started again if the disk fails")
    void startsNoVersionAgainThatWasFoundBad() {
        node.disk.setWriteHook(
                () -> {
                    pretendThatTheNewVersionIsAnother();
                    if (node.spawned.contains(NEW.shortHex())
                            && node.processes.allProcesses().isEmpty()) {
                        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("etc"));
                    }
                });
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal(1).ending().detail())
                .contains("/etc/app.toml", "then clear the node. ")
                .contains("restore its files from the backup by hand before the clear.")
                .doesNotContain("started again", "roll back again");
        supervise();
        assertThat(node.processes.allProcesses()).isEmpty();
    }

    @Test
    @DisplayName("D15: if the start after a failed restore fails, too, the first reason is kept")
    void keepsTheFirstReasonIfTheUpgradedVersionCannotBeStartedAgain() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.setWriteHook(
                () -> {
                    if (node.processes.allProcesses().isEmpty()) {
                        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("etc"));
                        node.disk.denyNewFiles(agent.state.runDirectory("app"));
                    }
                });
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal(2).ending().detail())
                .contains("/etc/app.toml")
                .containsPattern("The upgraded version could not be started again: .*/run/app");
    }

    @Test
    @DisplayName("D15: an interrupted start is repeated without writing what the program wrote")
    void repeatsAStartOnADiskThatIsFullByThen() {
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));
        agent.processor.process(
                SimulatedNode.delivery(
                        2,
                        new Work.Upgrade(
                                SimulatedNode.spec("new", List.of(SimulatedNode.CONFIG)),
                                "v3",
                                new Artifact(SimulatedNode.OLD_URL, OLD, SimulatedNode.OLD.length),
                                List.of(),
                                NEW,
                                "",
                                SimulatedNode.newConfigDigest())));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.SUCCEEDED);
        node.changesConfig = true;
        node.disk.setWriteHook(
                () -> {
                    if (node.processes.allProcesses().containsValue(NEW)) {
                        throw new AgentPair.Killed();
                    }
                });
        CommandWithContents restore =
                SimulatedNode.delivery(
                        3, new Work.Restore("app", 2, NEW, SimulatedNode.newConfigDigest()));
        assertThatThrownBy(() -> agent.processor.process(restore))
                .isInstanceOf(AgentPair.Killed.class);
        node.disk.setWriteHook(() -> {});
        node.processes.reboot();
        node.disk.denyNewFiles(SimulatedNode.ROOT.resolve("etc"));

        node.agent(2).boot();

        assertThat(outcome(3)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.processes.allProcesses().values()).containsExactly(NEW);
    }

    @Test
    @DisplayName("D3 D15: whichever write of a restore fails, all is old or new, or it is marked")
    void endsWholeWhicheverWriteOfARestoreFails() {
        Map<AttemptOutcome, Integer> outcomes = new EnumMap<>(AttemptOutcome.class);
        boolean reached = true;
        int down = 0;
        for (int failing = 0; reached; failing++) {
            SimulatedNode tried = SimulatedNode.running(Map.of());
            SimulatedNode.Agent there = tried.agent(1).boot();
            there.processor.process(SimulatedNode.upgrade(1));
            reached = restoreWithFailingWrite(tried, there, failing);
            Journal ended = Objects.requireNonNull(there.slot.currentStatus()).journal();
            there.runtime.supervise(List.of(SimulatedNode.spec("new")));
            outcomes.merge(ended.ending().outcome(), 1, Integer::sum);
            boolean whole =
                    switch (ended.ending().outcome()) {
                        case RESTORED -> isAllOld(tried);
                        case REFUSED -> isAllNew(tried);
                        default -> isMarkedWithCause(tried, ended);
                    };
            down += tried.processes.allProcesses().isEmpty() ? 1 : 0;
            assertThat(whole).as("write %d: %s", failing, ended.ending()).isTrue();
            assertThat(tried.violations).as("write %d", failing).isEmpty();
        }
        assertThat(down).as("the restore had written a file, or all").isLessThan(30);
        assertThat(outcomes.get(AttemptOutcome.FAILED_ROLLBACK)).isLessThan(80);
        assertThat(outcomes.get(AttemptOutcome.REFUSED)).isGreaterThan(20);
        assertThat(outcomes.get(AttemptOutcome.RESTORED)).isGreaterThan(20);
    }

    /** The program runs as one version, or is down because the restore had written a file. */
    private static boolean isMarkedWithCause(SimulatedNode tried, Journal ended) {
        boolean down = tried.processes.allProcesses().isEmpty();
        boolean written =
                tried.disk
                        .digest(SimulatedNode.ROOT.resolve("bin/app"))
                        .equals(Digest.of(SimulatedNode.OLD));
        return ended.ending().outcome() == AttemptOutcome.FAILED_ROLLBACK
                && ended.ending().reason() == ReasonCode.DISK_ERROR
                && (down ? written : isAllOld(tried) || isAllNew(tried));
    }

    /** Returns whether the restore made so many writes that this one failed. */
    private static boolean restoreWithFailingWrite(
            SimulatedNode tried, SimulatedNode.Agent there, int failing) {
        int[] left = {failing};
        tried.disk.setWriteHook(
                () -> {
                    if (left[0]-- == 0) {
                        throw new DiskFailure("no luck", false, new IllegalStateException());
                    }
                });
        try {
            there.processor.process(SimulatedNode.restore(2, 1));
        } catch (DiskFailure _) {
            there.processor.process(SimulatedNode.restore(2, 1)); // it has not started yet
        }
        return left[0] < 0;
    }

    private void pretendThatTheNewVersionIsAnother() {
        node.processes
                .allProcesses()
                .forEach(
                        (pid, digest) -> {
                            if (digest.equals(NEW)) {
                                node.processes.pretendExecutable(pid, "other");
                            }
                        });
    }

    @Test
    @DisplayName("D8: a complete backup is never overwritten")
    void keepsABackupThatIsComplete() {
        agent.processor.process(SimulatedNode.upgrade(1));
        Map<String, Digest> before = node.disk.fileDigests();
        ProgramProfile now = Objects.requireNonNull(agent.state.loadProfile().findProgram("app"));
        agent.runtime.backup(
                BACKUP,
                now,
                journal(1).before().requireRecorded(),
                node.ticker.deadlineIn(Duration.ofMinutes(1)));
        assertThat(node.disk.fileDigests()).isEqualTo(before);
        assertThat(node.disk.digest(BACKUP.resolve("file-0"))).isEqualTo(OLD);
    }

    @Test
    @DisplayName("D11: owner and mode are kept by the upgrade and brought back by the restore")
    void keepsOwnerAndMode() {
        Path program = SimulatedNode.ROOT.resolve("bin/app");
        Path config = SimulatedNode.ROOT.resolve("etc/app.toml");
        FileAttributes owned = FileAttributes.of("rwxr-x---", "chain", "ops");
        FileAttributes secret = FileAttributes.of("r--------", "chain", "chain");
        node.disk.putDurableFile(program, SimulatedNode.OLD, owned);
        node.disk.putDurableFile(config, SimulatedNode.OLD_CONFIG, secret);
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(List.of(node.disk.attributes(program), node.disk.attributes(config)))
                .containsExactly(owned, secret);
        assertThat(node.disk.attributes(BACKUP.resolve("file-1")).permissions())
                .isEqualTo("rw-------");
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(List.of(node.disk.attributes(program), node.disk.attributes(config)))
                .containsExactly(owned, secret);
        assertThat(isAllOld()).isTrue();
    }

    @Test
    @DisplayName("C6: the way back has a budget of its own, however much the way there has spent")
    void goesBackOnABudgetOfItsOwn() {
        behaviors.put(OLD, ProgramBehavior.IGNORES_TERMINATION); // its stop takes half the budget
        CommandWithContents upgrade = SimulatedNode.upgrade(1);
        Duration shorterThanStopAndSettling = Duration.ofMillis(1_500);
        agent.processor.process(
                new CommandWithContents(
                        upgrade.command(), shorterThanStopAndSettling, upgrade.contents()));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(reason(1)).isIn(ReasonCode.BUDGET_SPENT, ReasonCode.ACTION_TIMED_OUT);
        assertThat(isAllOld()).isTrue();
    }

    @Test
    @DisplayName("F1: starts before an attempt are not counted as starts since the attempt")
    void countsStartsFromTheAttemptOn() {
        agent.processor.process(SimulatedNode.upgrade(1));
        fallOften();
        assertThat(starts()).isEqualTo(4);
        agent.processor.process(
                SimulatedNode.upgrade(2)); // it is there already: nothing is started
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(starts()).isZero();
    }

    @Test
    @DisplayName("I6: refusals never push the way back out, and leave nothing behind")
    void keepsTheWayBackThroughManyRefusals() {
        agent.processor.process(SimulatedNode.upgrade(1));
        Path config = SimulatedNode.ROOT.resolve("etc/app.toml");
        node.disk.putDurableFile(config, SimulatedNode.bytes("a = 3"), FileAttributes.CONFIG);
        for (int attempt = 2; attempt < 60; attempt++) {
            agent.processor.process(SimulatedNode.upgrade(attempt));
            assertThat(reason(attempt)).isEqualTo(ReasonCode.DRIFTED);
        }
        assertThat(node.disk.list(SimulatedNode.STATE.resolve("attempts"))).hasSizeLessThan(30);
        agent.processor.process(SimulatedNode.restore(60, 1));
        assertThat(outcome(60)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(isAllOld()).isTrue();
        assertThat(node.disk.list(SimulatedNode.STATE.resolve("contents"))).hasSizeLessThan(30);
        assertThat(node.disk.list(SimulatedNode.STATE.resolve("staging"))).isEmpty();
    }

    @Test
    @DisplayName("D17: the latest upgrade is taken back on the node, without any server")
    void takesTheLatestUpgradeBackLocally() {
        agent.processor.process(SimulatedNode.upgrade(1));
        Journal back = agent.processor.rollBackLastAttempt();
        assertThat(back.ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(back.ending().reason()).isEqualTo(ReasonCode.ROLLED_BACK_LOCALLY);
        assertThat(isAllOld()).isTrue();
        assertThatThrownBy(agent.processor::rollBackLastAttempt)
                .isInstanceOf(ActionFailed.class)
                .hasMessage("Attempt 1 was the last one, and it is taken back. Nothing was done.");
        agent.processor.process(SimulatedNode.upgrade(2));
        assertThat(isAllNew()).isTrue();
    }

    @Test
    @DisplayName("D10 D17: a local way back writes nothing from a backup that changed")
    void refusesALocalRollbackFromAChangedBackup() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(
                BACKUP.resolve("file-0"), SimulatedNode.bytes("x"), FileAttributes.PRIVATE);
        assertThatThrownBy(agent.processor::rollBackLastAttempt).isInstanceOf(ActionFailed.class);
        assertThat(isAllNew()).isTrue();
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
    }

    private void fallOften() {
        for (int i = 0; i < 4; i++) {
            node.processes.allProcesses().keySet().forEach(node.processes::crash);
            supervise();
            node.ticker.pause(Duration.ofSeconds(10));
        }
    }

    private void supervise() {
        agent.runtime.supervise(
                agent.state.loadProfile().programs().stream().map(ProgramProfile::spec).toList());
    }

    private boolean isAllOld() {
        return isAllOld(node);
    }

    private static boolean isAllOld(SimulatedNode node) {
        return node.isAll(
                SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    private boolean isAllNew() {
        return isAllNew(node);
    }

    private static boolean isAllNew(SimulatedNode node) {
        return node.isAll(
                SimulatedNode.NEW, SimulatedNode.NEW_CONFIG, SimulatedNode.NEW_PEERS, "new");
    }

    private ProgramState status() {
        return agent.runtime.status(SimulatedNode.APP);
    }

    private int starts() {
        return status() instanceof ProgramState.Up up ? up.startsSince() : -1;
    }

    private Journal journal(long attempt) {
        return Objects.requireNonNull(agent.journal(attempt));
    }

    private AttemptOutcome outcome(long attempt) {
        return journal(attempt).ending().outcome();
    }

    private ReasonCode reason(long attempt) {
        return journal(attempt).ending().reason();
    }
}
