package drover.opsagent.journal;

import drover.model.AttemptOutcome;
import drover.model.Digest;

/**
 * What must be known of an attempt to decide what of it may be forgotten.
 *
 * @param program that it was about; empty when it was about the node
 * @param modifiedNode whether it began to change the node
 * @param mayBeInstalled whether what it installed is there, or may be: a restore may name it
 * @param restoredThrough the attempt that it proved to have taken back, with all after that; 0 for
 *     none
 */
public record AttemptRetentionFacts(
        long attempt,
        String program,
        AttemptOutcome outcome,
        boolean modifiedNode,
        boolean mayBeInstalled,
        long restoredThrough) {

    /** Reads it out of a journal. */
    public static AttemptRetentionFacts of(Journal journal) {
        Work work = journal.assignment().work();
        AttemptOutcome outcome = journal.ending().outcome();
        boolean mutated = journal.mayHaveMutated();
        return new AttemptRetentionFacts(
                journal.attempt(),
                work.programName(),
                outcome,
                mutated,
                mutated && mayBeInstalled(work, journal.ending()),
                outcome == AttemptOutcome.RESTORED
                        ? restoredThrough(work, journal.ending().seen())
                        : 0);
    }

    /** Whether it ended as a failure that a person has to clear (D14). */
    public boolean needsClear(long clearedThrough) {
        return outcome == AttemptOutcome.FAILED_ROLLBACK && attempt > clearedThrough;
    }

    /** A leader counts a node as brought back only where the very digests of before are told. */
    private static boolean mayBeInstalled(Work work, AttemptResult ending) {
        if (!(work instanceof Work.Upgrade upgrade) || upgrade.undoes() != 0) {
            return false;
        }
        return switch (ending.outcome()) {
            case SUCCEEDED, FAILED_ROLLBACK -> true;
            case FAILED ->
                    !isSameOrUnknown(ending.seen().runningDigest(), upgrade.sourceDigest().value())
                            || !isSameOrUnknown(
                                    ending.seen().configDigest(), upgrade.sourceConfigDigest());
            case IN_PROGRESS, RESTORED, REFUSED, WITHDRAWN -> false;
        };
    }

    private static long restoredThrough(Work work, ObservedProgram seen) {
        return switch (work) {
            case Work.Restore restore
                    when mayBeRestored(
                            seen, restore.expectedDigest(), restore.expectedConfigDigest()) ->
                    restore.ofAttempt();
            case Work.Upgrade upgrade
                    when mayBeRestored(
                            seen, upgrade.artifact().digest(), upgrade.targetConfigDigest()) ->
                    upgrade.undoes();
            case Work.Restore _,
                    Work.Upgrade _,
                    Work.AgentUpgrade _,
                    Work.ClearFailure _,
                    Work.UnreadWork _ ->
                    0;
        };
    }

    private static boolean mayBeRestored(ObservedProgram seen, Digest program, Digest config) {
        return isSameOrUnknown(seen.runningDigest(), program.value())
                && isSameOrUnknown(seen.configDigest(), config.value());
    }

    private static boolean isSameOrUnknown(String seen, String before) {
        return seen.isEmpty() || before.isEmpty() || seen.equals(before);
    }
}
