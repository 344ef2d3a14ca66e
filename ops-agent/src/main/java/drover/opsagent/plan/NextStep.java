package drover.opsagent.plan;

import drover.model.Action;
import drover.model.AgentUpgradeAction;
import drover.model.UpgradeAction;
import drover.opsagent.journal.ActionEntry;
import drover.opsagent.journal.ActionSequences;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import org.jspecify.annotations.Nullable;

/** What an attempt does next. The same function serves the first run and every recovery. */
public sealed interface NextStep {
    /** More steps than this and something goes round in circles (D18; Mender's figure). */
    int MAX_TRANSITIONS = 28;

    /** So many agent restarts in one attempt, and it goes back. */
    int MAX_AGENT_RESTARTS = 3;

    /** Do this action. */
    record StartAction(Action action) implements NextStep {}

    /** Go back from here on, and say why. */
    record Compensate(ReasonCode reason, String detail) implements NextStep {}

    /** Do this step back. */
    record Undo(UndoStep step) implements NextStep {}

    /** All is done: prove that the target runs. */
    record VerifyTarget() implements NextStep {}

    /** All is undone: prove that the node is as it was. */
    record VerifyRestored() implements NextStep {}

    /** Stop trying and leave the program as found. */
    record GiveUp() implements NextStep {}

    /** Nothing: the attempt is over. */
    record Ended() implements NextStep {}

    /**
     * Decides the next step, after a step as after a crash: forward if the artifact is verified on
     * disk, or if the program was not touched yet, and the agent was restarted fewer than three
     * times in this attempt; else backward, and then never forward again. An agent that is what the
     * attempt installs, and holds the lock, has nothing to go back from.
     */
    static NextStep after(Journal journal, RecoveryObservation facts) {
        if (journal.hasEnded()) {
            return new Ended();
        }
        if (journal.transitions() >= MAX_TRANSITIONS) {
            return new GiveUp();
        }
        return switch (journal.direction()) {
            case FORWARD -> nextForward(journal, facts);
            case BACKWARD -> nextBackward(journal, facts);
        };
    }

    private static NextStep nextForward(Journal journal, RecoveryObservation facts) {
        if (facts.afterRestart() && !facts.isSuccessor()) {
            if (journal.agentRestarts() >= MAX_AGENT_RESTARTS) {
                return new Compensate(
                        ReasonCode.AGENT_RESTARTED,
                        "The agent was restarted 3 times in this attempt: look at the agent's"
                                + " log.");
            }
            if (!facts.artifactVerified() && !mayFetchAgain(journal)) {
                return new Compensate(
                        ReasonCode.AGENT_RESTARTED,
                        "The agent was restarted and the artifact is not on the disk:"
                                + " look at the agent's log.");
            }
        }
        boolean fetchAgain =
                facts.afterRestart() && !facts.artifactVerified() && !facts.isSuccessor();
        for (Action action : ActionSequences.actions(journal)) {
            ActionEntry entry = journal.findEntry(action);
            boolean crashed = action == UpgradeAction.START_NODE && !facts.programRunning();
            boolean lost = fetchAgain && isFetch(action);
            if (entry == null || !entry.hasSucceeded() || crashed || lost) {
                return new StartAction(action);
            }
        }
        return new VerifyTarget();
    }

    /** While the program runs untouched and nothing was verified, fetching again risks nothing. */
    private static boolean mayFetchAgain(Journal journal) {
        return !journal.mayHaveMutated()
                && !hasSucceeded(journal.findEntry(UpgradeAction.VERIFY_ARTIFACT))
                && !hasSucceeded(journal.findEntry(AgentUpgradeAction.VERIFY));
    }

    private static boolean isFetch(Action action) {
        return action == UpgradeAction.ACQUIRE_ARTIFACT || action == AgentUpgradeAction.STAGE;
    }

    private static boolean hasSucceeded(@Nullable ActionEntry entry) {
        return entry != null && entry.hasSucceeded();
    }

    private static NextStep nextBackward(Journal journal, RecoveryObservation facts) {
        for (UndoStep step : ActionSequences.undoSteps(journal)) {
            boolean done =
                    journal.undos().stream()
                            .anyMatch(entry -> entry.step() == step && entry.hasFinished());
            boolean crashed = step == UndoStep.START && !facts.programRunning();
            if (!done || crashed) {
                return new Undo(step);
            }
        }
        return new VerifyRestored();
    }
}
