package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.engine.Rehearsal.Node;
import drover.opsagent.script.Journal;
import drover.opsagent.script.UndoStep;
import drover.opsagent.script.UpgradeScript;
import java.time.Instant;
import java.util.List;

/** As the executor does it: it looks first, and does only what is not so yet. */
final class ExecutorHands implements Hands {
    private final Node node;
    private final Deeds deeds;
    private Journal journal;

    ExecutorHands(Node node, Deeds deeds, Journal accepted) {
        this.node = node;
        this.deeds = deeds;
        this.journal = accepted;
    }

    @Override
    public void perform(UpgradeAction action) {
        journal = journal.begun(action, Instant.EPOCH);
        ActionOutcome outcome = deeds.perform(action, journal, node.soon(), _ -> {});
        assertThat(outcome).isIn(ActionOutcome.DONE, ActionOutcome.ALREADY_DONE);
        journal = journal.done(action, outcome, Instant.EPOCH);
    }

    @Override
    public List<UndoStep> wayBack() {
        return UpgradeScript.wayBack(journal);
    }

    @Override
    public void undo(UndoStep step) {
        journal = journal.undoBegun(step, Instant.EPOCH);
        deeds.undo(step, journal, node.soon());
        journal = journal.undoDone(step, Instant.EPOCH);
    }
}
