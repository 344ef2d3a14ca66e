package drover.opsagent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.UpgradePhase;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.journal.ActionSequences;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NextStepTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final RecoveryObservation VERIFIED = new RecoveryObservation(true, true, true);
    private final Journal accepted = Journal.accepted(assignment(), before(true));

    @Test
    void goesThroughTheEightActionsInOrder() {
        Journal journal = accepted;
        journal = through(journal, "backup_state", UpgradePhase.PREPARING);
        journal = through(journal, "acquire_artifact", UpgradePhase.PREPARING);
        journal = through(journal, "verify_artifact", UpgradePhase.PREPARING);
        journal = through(journal, "stop_node", UpgradePhase.STOPPED);
        journal = through(journal, "install_artifact", UpgradePhase.MUTATING);
        journal = through(journal, "write_configs", UpgradePhase.MUTATING);
        journal = through(journal, "reload_daemon", UpgradePhase.MUTATING);
        journal = through(journal, "start_node", UpgradePhase.STARTING);
        assertThat(next(journal)).isEqualTo(new NextStep.VerifyTarget());
        assertThat(AttemptStatus.phase(journal)).isEqualTo(UpgradePhase.VERIFYING);
    }

    /** The next action has this name, and people see this phase meanwhile. */
    private static Journal through(Journal journal, String name, UpgradePhase phase) {
        UpgradeAction action = UpgradeAction.byWireName(name).orElseThrow();
        assertThat(next(journal)).isEqualTo(new NextStep.StartAction(action));
        Journal under = journal.withActionStarted(action, NOW);
        assertThat(AttemptStatus.phase(under)).isEqualTo(phase);
        return under.withActionDone(action, ActionOutcome.DONE, NOW);
    }

    @Test
    @DisplayName(
            "D6 D7: goes back from an action that only began, files before reload before start")
    void goesBackInOrder() {
        Journal journal =
                accepted.withActionStarted(UpgradeAction.STOP_NODE, NOW)
                        .withActionFailedAndCompensation(
                                UpgradeAction.STOP_NODE, ReasonCode.STOP_FAILED, "it hangs", NOW);
        for (UndoStep step :
                List.of(UndoStep.STOP, UndoStep.FILES, UndoStep.RELOAD, UndoStep.START)) {
            assertThat(next(journal)).isEqualTo(new NextStep.Undo(step));
            journal = journal.withUndoStarted(step, NOW).withUndoDone(step, NOW);
        }
        assertThat(next(journal)).isEqualTo(new NextStep.VerifyRestored());
    }

    @Test
    void startsOnlyWhatWasMeantToRunBefore() {
        Journal journal =
                Journal.accepted(assignment(), before(false))
                        .withActionStarted(UpgradeAction.INSTALL_ARTIFACT, NOW)
                        .withCompensationStarted(ReasonCode.DISK_FULL, "full");
        assertThat(ActionSequences.undoSteps(journal)).doesNotContain(UndoStep.START);
    }

    @Test
    void undoesNothingWhileTheProgramRunsUntouched() {
        Journal journal =
                accepted.withActionStarted(UpgradeAction.ACQUIRE_ARTIFACT, NOW)
                        .withActionFailedAndCompensation(
                                UpgradeAction.ACQUIRE_ARTIFACT,
                                ReasonCode.ARTIFACT_NOT_FOUND,
                                "nothing there",
                                NOW);
        assertThat(next(journal)).isEqualTo(new NextStep.VerifyRestored());
    }

    @Test
    void recoversForwardOnlyWithAVerifiedArtifactAndFewRestarts() {
        Journal stopped = accepted.withActionStarted(UpgradeAction.INSTALL_ARTIFACT, NOW);
        Journal once = stopped.withAgentRestart();
        assertThat(NextStep.after(once, VERIFIED)).isInstanceOf(NextStep.StartAction.class);
        assertThat(NextStep.after(once, new RecoveryObservation(true, false, false)))
                .isInstanceOf(NextStep.Compensate.class);
        Journal often = once.withAgentRestart().withAgentRestart();
        assertThat(NextStep.after(often, VERIFIED)).isInstanceOf(NextStep.Compensate.class);
    }

    @Test
    void fetchesAgainAfterARestartWhileTheProgramRunsUntouched() {
        RecoveryObservation lost = new RecoveryObservation(true, false, true);
        Journal fetched =
                accepted.withActionStarted(UpgradeAction.BACKUP_STATE, NOW)
                        .withActionDone(UpgradeAction.BACKUP_STATE, ActionOutcome.DONE, NOW)
                        .withActionStarted(UpgradeAction.ACQUIRE_ARTIFACT, NOW)
                        .withActionDone(UpgradeAction.ACQUIRE_ARTIFACT, ActionOutcome.DONE, NOW)
                        .withAgentRestart();
        assertThat(NextStep.after(accepted.withAgentRestart(), lost))
                .isEqualTo(new NextStep.StartAction(UpgradeAction.BACKUP_STATE));
        assertThat(NextStep.after(fetched, lost))
                .isEqualTo(new NextStep.StartAction(UpgradeAction.ACQUIRE_ARTIFACT));
        Journal verified =
                fetched.withActionStarted(UpgradeAction.VERIFY_ARTIFACT, NOW)
                        .withActionDone(UpgradeAction.VERIFY_ARTIFACT, ActionOutcome.DONE, NOW);
        assertThat(NextStep.after(verified, lost)).isInstanceOf(NextStep.Compensate.class);
    }

    @Test
    void neverGoesForwardAgain() {
        Journal back =
                accepted.withActionStarted(UpgradeAction.INSTALL_ARTIFACT, NOW)
                        .withCompensationStarted(ReasonCode.DISK_FULL, "full")
                        .withAgentRestart();
        assertThat(NextStep.after(back, VERIFIED)).isEqualTo(new NextStep.Undo(UndoStep.STOP));
    }

    @Test
    @DisplayName("D18: 28 transitions, and it gives up")
    void givesUpWhenItGoesRoundInCircles() {
        Journal journal = accepted.withActionStarted(UpgradeAction.STOP_NODE, NOW);
        while (journal.transitions() < NextStep.MAX_TRANSITIONS) {
            assertThat(NextStep.after(journal, VERIFIED)).isNotEqualTo(new NextStep.GiveUp());
            journal = journal.withAgentRestart();
        }
        assertThat(NextStep.after(journal, VERIFIED)).isEqualTo(new NextStep.GiveUp());
    }

    @Test
    void growsItsSequenceOverRestarts() {
        AttemptStatus sent = AttemptStatus.of(accepted, 5_000, 40);
        AttemptStatus next = AttemptStatus.of(accepted.withAgentRestart(), 0, 0);
        assertThat(next.sequence()).isGreaterThan(sent.sequence());
    }

    private static NextStep next(Journal journal) {
        return NextStep.after(journal, RecoveryObservation.RUNNING);
    }

    private static PreUpgradeState before(boolean wanted) {
        return new PreUpgradeState.Recorded(
                Digest.of("old").value(), Digest.of("config"), List.of(), wanted, wanted);
    }

    private static Assignment assignment() {
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/bin/app"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE);
        Work work =
                new Work.Upgrade(
                        new ProgramSpec(new BinaryName("app"), "process", launch, List.of()),
                        "v2",
                        new Artifact("http://artifacts.example/app", Digest.of("new"), 0),
                        List.of(),
                        Digest.of("old"),
                        "",
                        Digest.of("new config"));
        return new Assignment(
                1, Digest.of("body").value(), "rollout-1", work, Duration.ofMinutes(9), "name");
    }
}
