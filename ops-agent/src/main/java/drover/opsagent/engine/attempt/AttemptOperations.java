package drover.opsagent.engine.attempt;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.plan.RecoveryObservation;
import drover.opsagent.time.Deadline;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * What the steps of a script do: to a program of the node, or to the agent itself. Each may be
 * repeated: it looks first, and does only what is not so yet.
 */
public interface AttemptOperations {
    /** What is so after a crash with this attempt open. */
    RecoveryObservation observeForRecovery(Journal journal);

    /**
     * Does one action.
     *
     * @param notes receives sentences that operators shall read although the action succeeds
     */
    ActionOutcome perform(
            Action action,
            Journal journal,
            Deadline deadline,
            IntConsumer percent,
            Consumer<String> notes);

    /** Time that the program may take to stop, beyond what timeouts of actions include. */
    Duration extraStopTime(Journal journal);

    /** The most time that an action may take; a start may have to stop another run first. */
    static Duration timeout(Action action, Duration extraStopTime) {
        return action == UpgradeAction.STOP_NODE || action == UpgradeAction.START_NODE
                ? action.timeout().plus(extraStopTime)
                : action.timeout();
    }

    /** The end of the output of what an action could not start; empty when it started nothing. */
    String logTail(Action failed, Journal journal);

    /**
     * Does one step back.
     *
     * @param notes as in {@link #perform}
     */
    void undo(UndoStep step, Journal journal, Deadline deadline, Consumer<String> notes);

    /**
     * Cancels a stop that had no effect: if the run that the journal recorded before the stop is
     * still up with the same digests, the program is desired again.
     *
     * @return whether that run is still up
     */
    boolean cancelStopIfIneffective(Journal journal);

    /** What is not as the attempt shall leave it; empty when all is (D5). */
    String describeUnmetTarget(Journal journal);

    /** How the attempt ends when nothing is missing. */
    AttemptOutcome successOutcome(Journal journal);

    /** Whether the node is as it was. */
    boolean isRestored(Journal journal);

    /** What is on the node now. */
    ObservedProgram observe(Journal journal);

    /**
     * Deletes what can be fetched again, to make room for the journal. Safe at any time: an attempt
     * that is resumed fetches it again or compensates.
     */
    default void deleteStaged(Journal journal) {}

    /** Removes what only the open attempt needed. */
    void cleanUp(Journal journal);
}
