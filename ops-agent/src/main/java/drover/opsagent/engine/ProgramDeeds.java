package drover.opsagent.engine;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AgentAction;
import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.script.Facts;
import drover.opsagent.script.Journal;
import drover.opsagent.script.Seen;
import drover.opsagent.script.UndoStep;
import drover.opsagent.script.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.util.function.IntConsumer;

/** Upgrades and restores of the node's programs, by its runtime. */
final class ProgramDeeds implements Deeds {
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final UpgradeActions actions;
    private final WayBack wayBack;
    private final NodeView view;

    ProgramDeeds(StateDirectory state, JournalStore journals, NodeRuntime runtime) {
        this.state = state;
        this.journals = journals;
        this.runtime = runtime;
        this.actions = new UpgradeActions(runtime, state, journals);
        this.wayBack = new WayBack(runtime, state, journals, actions);
        this.view = new NodeView(runtime);
    }

    @Override
    public Facts afterRestart(Journal journal) {
        boolean verified =
                journal.assignment().work() instanceof Work.Upgrade upgrade
                        && actions.isArtifactOnDisk(journal, upgrade);
        boolean running = runtime.status(program(journal).spec().name()) instanceof ProgramState.Up;
        return new Facts(true, verified, running);
    }

    @Override
    public ActionOutcome perform(
            Action action, Journal journal, Deadline deadline, IntConsumer percent) {
        return switch (action) {
            case UpgradeAction one ->
                    actions.perform(one, journal, upgrade(journal), deadline, percent);
            case AgentAction other -> throw new IllegalStateException("No program's: " + other);
        };
    }

    @Override
    public String lastWords(Action failed, Journal journal) {
        return failed == UpgradeAction.START_NODE ? actions.logTail(upgrade(journal)) : "";
    }

    @Override
    public void undo(UndoStep step, Journal journal, Deadline deadline) {
        wayBack.perform(step, journal, deadline);
    }

    /**
     * D5: the agent compares the running digest although the coordinator compares it again. The
     * agent can still undo the attempt; the coordinator protects against a broken agent.
     */
    @Override
    public String missing(Journal journal) {
        Work.Upgrade upgrade = upgrade(journal);
        boolean runs =
                runtime.status(upgrade.spec().name()) instanceof ProgramState.Up up
                        && up.digest().equals(upgrade.artifact().digest())
                        && up.configDigest().equals(upgrade.targetConfigDigest());
        boolean installed =
                runtime.installed(upgrade.spec()).equals(upgrade.artifact().digest().value())
                        && view.configDigest(program(journal)).equals(upgrade.targetConfigDigest());
        if (runs && installed) {
            return "";
        }
        return (runs ? "What is installed" : "What runs")
                + " is not the target: look at the program's log.";
    }

    @Override
    public AttemptOutcome proven(Journal journal) {
        return upgrade(journal).proven();
    }

    @Override
    public boolean isAsBefore(Journal journal) {
        return wayBack.isAsBefore(journal);
    }

    @Override
    public Seen see(Journal journal) {
        return view.see(program(journal));
    }

    /** The backup stays. */
    @Override
    public void cleanUp(Journal journal) {
        state.files().delete(actions.staged(journal));
        journals.forgetContents(journal.attempt());
        runtime.sweep(Paths.touched(journal));
        if (journal.ending().outcome() != AttemptOutcome.FAILED_ROLLBACK) {
            runtime.release(program(journal).spec().name());
        }
    }

    private ProgramProfile program(Journal journal) {
        return actions.program(journal.assignment().work().programName());
    }

    private static Work.Upgrade upgrade(Journal journal) {
        return (Work.Upgrade) journal.assignment().work();
    }
}
