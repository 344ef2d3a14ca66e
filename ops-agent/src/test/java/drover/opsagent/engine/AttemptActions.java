package drover.opsagent.engine;

import drover.model.UpgradeAction;
import drover.opsagent.journal.UndoStep;
import java.util.List;

/** A way to do the actions of one attempt, and to take them back. */
interface AttemptActions {
    /** Does an action, which may have been done. */
    void perform(UpgradeAction action);

    /** The steps back from what was done. */
    List<UndoStep> wayBack();

    /** Takes a step back, which may have been taken. */
    void undo(UndoStep step);
}
