package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.engine.IdempotencyCheck.Node;
import drover.opsagent.engine.attempt.AttemptOperations;
import drover.opsagent.journal.ActionSequences;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.UndoStep;
import java.time.Instant;
import java.util.List;

/** As the executor does it: it looks first, and does only what is not so yet. */
final class ExecutorActions implements AttemptActions {
    private final Node node;
    private final AttemptOperations deeds;
    private Journal journal;

    ExecutorActions(Node node, AttemptOperations deeds, Journal accepted) {
        this.node = node;
        this.deeds = deeds;
        this.journal = accepted;
    }

    @Override
    public void perform(UpgradeAction action) {
        journal = journal.withActionStarted(action, Instant.EPOCH);
        ActionOutcome outcome = deeds.perform(action, journal, node.soon(), _ -> {}, _ -> {});
        assertThat(outcome).isIn(ActionOutcome.DONE, ActionOutcome.ALREADY_DONE);
        journal = journal.withActionDone(action, outcome, Instant.EPOCH);
    }

    @Override
    public List<UndoStep> wayBack() {
        return ActionSequences.undoSteps(journal);
    }

    @Override
    public void undo(UndoStep step) {
        journal = journal.withUndoStarted(step, Instant.EPOCH);
        deeds.undo(step, journal, node.soon(), _ -> {});
        journal = journal.withUndoDone(step, Instant.EPOCH);
    }
}
