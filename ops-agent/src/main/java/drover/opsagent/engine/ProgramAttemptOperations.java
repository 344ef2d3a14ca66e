package drover.opsagent.engine;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AgentUpgradeAction;
import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.engine.attempt.AttemptOperations;
import drover.opsagent.fetch.ResumableDownload;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.RecoveryObservation;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Upgrades and restores of the node's programs, by its runtime. */
final class ProgramAttemptOperations implements AttemptOperations {
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final UpgradeActionRunner actions;
    private final Compensation compensation;
    private final ProgramInspector view;

    ProgramAttemptOperations(StateDirectory state, JournalStore journals, NodeRuntime runtime) {
        this.state = state;
        this.journals = journals;
        this.runtime = runtime;
        this.actions = new UpgradeActionRunner(runtime, state, journals);
        this.compensation = new Compensation(runtime, state, journals, actions);
        this.view = new ProgramInspector(runtime);
    }

    @Override
    public RecoveryObservation observeForRecovery(Journal journal) {
        boolean verified =
                journal.assignment().work() instanceof Work.Upgrade upgrade
                        && actions.isArtifactOnDisk(journal, upgrade);
        boolean running =
                runtime.status(programProfile(journal).spec().name()) instanceof ProgramState.Up;
        return new RecoveryObservation(true, verified, running);
    }

    @Override
    public ActionOutcome perform(
            Action action,
            Journal journal,
            Deadline deadline,
            IntConsumer percent,
            Consumer<String> notes) {
        return switch (action) {
            case UpgradeAction one ->
                    actions.perform(one, journal, upgradeOf(journal), deadline, percent, notes);
            case AgentUpgradeAction other ->
                    throw new IllegalStateException("No program's: " + other);
        };
    }

    @Override
    public Duration extraStopTime(Journal journal) {
        return actions.stopSettings(journal).timeBeyondDefault();
    }

    @Override
    public String logTail(Action failed, Journal journal) {
        return failed == UpgradeAction.START_NODE ? actions.logTail(upgradeOf(journal)) : "";
    }

    @Override
    public void undo(UndoStep step, Journal journal, Deadline deadline, Consumer<String> notes) {
        compensation.undo(step, journal, deadline, notes);
    }

    @Override
    public boolean cancelStopIfIneffective(Journal journal) {
        return compensation.cancelStopIfIneffective(journal);
    }

    /**
     * D5: the agent compares the running digest although the coordinator compares it again. The
     * agent can still undo the attempt; the coordinator protects against a broken agent.
     */
    @Override
    public String describeUnmetTarget(Journal journal) {
        Work.Upgrade upgrade = upgradeOf(journal);
        boolean runs =
                view.requireInspectable(upgrade.spec().name()) instanceof ProgramState.Up up
                        && upgrade.artifact().digest().equals(up.digest())
                        && up.configDigest().equals(upgrade.targetConfigDigest());
        // The configuration was verified before the start: the program may have changed it since.
        boolean installed =
                runtime.installedDigest(upgrade.spec()).equals(upgrade.artifact().digest().value());
        if (runs && installed) {
            return "";
        }
        return (runs ? "What is installed" : "What runs")
                + " is not the target: look at the program's log.";
    }

    @Override
    public AttemptOutcome successOutcome(Journal journal) {
        return upgradeOf(journal).successOutcome();
    }

    @Override
    public boolean isRestored(Journal journal) {
        return compensation.isRestored(journal);
    }

    @Override
    public ObservedProgram observe(Journal journal) {
        return view.readObservedProgram(programProfile(journal));
    }

    @Override
    public void deleteStaged(Journal journal) {
        ResumableDownload.delete(state.files(), actions.stagingPath(journal));
    }

    /** The backup stays, and an unfinished download, which a retry continues. */
    @Override
    public void cleanUp(Journal journal) {
        state.files().delete(actions.stagingPath(journal));
        journals.deleteContents(journal.attempt());
        runtime.deleteTempFilesNextTo(PossiblyModifiedFileFinder.possiblyModifiedBy(journal));
        if (journal.ending().outcome() != AttemptOutcome.FAILED_ROLLBACK) {
            runtime.allowStarts(programProfile(journal).spec().name());
        }
    }

    private ProgramProfile programProfile(Journal journal) {
        return actions.programProfile(journal.assignment().work().programName());
    }

    private static Work.Upgrade upgradeOf(Journal journal) {
        return (Work.Upgrade) journal.assignment().work();
    }
}
