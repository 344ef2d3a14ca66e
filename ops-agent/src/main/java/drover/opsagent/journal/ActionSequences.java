package drover.opsagent.journal;

import drover.model.Action;
import drover.model.AgentUpgradeAction;
import drover.model.UpgradeAction;
import java.util.List;

/**
 * The scripts: the eight actions of an upgrade, the five by which an agent replaces itself, and the
 * ways back from them.
 */
public final class ActionSequences {
    private static final List<Action> ACTIONS = List.of(UpgradeAction.values());
    private static final List<Action> AGENT_ACTIONS = List.of(AgentUpgradeAction.values());

    private ActionSequences() {}

    /** The actions of this attempt, in order. A restore has none: it is all way back. */
    public static List<Action> actions(Journal journal) {
        return switch (journal.assignment().work()) {
            case Work.Upgrade _ -> ACTIONS;
            case Work.AgentUpgrade _ -> AGENT_ACTIONS;
            case Work.Restore _, Work.ClearFailure _, Work.UnreadWork _ -> List.of();
        };
    }

    /**
     * The way back from where this attempt is, in order. Empty while the program still runs
     * untouched; from the first action that changes the node on, every step, whether or not the
     * actions before it were completed (D6, D7).
     */
    public static List<UndoStep> undoSteps(Journal journal) {
        boolean restore = journal.assignment().work() instanceof Work.Restore;
        if (!restore && !journal.mayHaveMutated()) {
            return List.of();
        }
        if (journal.assignment().work() instanceof Work.AgentUpgrade) {
            return List.of(UndoStep.CURRENT, UndoStep.SUCCESSOR);
        }
        return journal.before().requireRecorded().wanted()
                ? List.of(UndoStep.STOP, UndoStep.FILES, UndoStep.RELOAD, UndoStep.START)
                : List.of(UndoStep.STOP, UndoStep.FILES, UndoStep.RELOAD);
    }
}
