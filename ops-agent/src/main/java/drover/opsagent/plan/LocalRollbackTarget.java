package drover.opsagent.plan;

import drover.model.AttemptOutcome;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import java.util.List;

/** What somebody on the node takes back when they ask for the last attempt (D17). */
public sealed interface LocalRollbackTarget {
    /** An attempt that is open: it goes back from where it is. */
    record OpenAttempt(Journal journal) implements LocalRollbackTarget {}

    /** An upgrade that succeeded: its backup is brought back. */
    record SucceededUpgrade(Journal journal) implements LocalRollbackTarget {}

    /** Nothing, and why. */
    record NoTarget(String because) implements LocalRollbackTarget {}

    /**
     * The last attempt that may have changed a program. What touched nothing is looked past, but no
     * attempt that was taken back: whoever asks twice does not go back twice.
     *
     * @param latestFirst every journal of the node
     */
    static LocalRollbackTarget of(List<Journal> latestFirst) {
        for (Journal journal : latestFirst) {
            Work work = journal.assignment().work();
            if (!journal.hasEnded()) {
                return work.programName().equals(Work.AgentUpgrade.PROGRAM)
                        ? agentUpgradeRefusal(journal)
                        : new OpenAttempt(journal);
            }
            if (journal.mayHaveChangedProgram()) {
                return journal.ending().outcome() == AttemptOutcome.SUCCEEDED
                        ? new SucceededUpgrade(journal)
                        : new NoTarget(noTargetReason(journal));
            }
        }
        return new NoTarget("No attempt has changed this node.");
    }

    private static LocalRollbackTarget agentUpgradeRefusal(Journal journal) {
        return new NoTarget(
                "Attempt "
                        + journal.attempt()
                        + " replaces this node's agent and is not over: start the agent, which ends"
                        + " it, then ask again.");
    }

    private static String noTargetReason(Journal journal) {
        String attempt = "Attempt " + journal.attempt();
        if (journal.ending().outcome() == AttemptOutcome.FAILED_ROLLBACK) {
            return attempt + " could not be undone: repair the node by hand, then clear it.";
        }
        return attempt + " was the last one, and it is taken back.";
    }
}
