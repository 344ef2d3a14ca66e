package drover.opsagent.engine;

import drover.opsagent.engine.attempt.AttemptRunner;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.plan.LocalRollbackTarget;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.store.JournalStore;

/**
 * The way back from the last attempt that somebody on the node asks for, without any server
 * (invariant D17). On the desk's one thread.
 */
final class LocalRollbackRunner {
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final ProgramAttemptJournalCreator preparation;
    private final AttemptRunner runner;

    LocalRollbackRunner(
            JournalStore journals,
            NodeRuntime runtime,
            ProgramAttemptJournalCreator preparation,
            AttemptRunner runner) {
        this.journals = journals;
        this.runtime = runtime;
        this.preparation = preparation;
        this.runner = runner;
    }

    /**
     * What there is to be taken back: an attempt that is open, or an upgrade that succeeded and
     * whose backup is there. Touches nothing.
     *
     * @throws ActionFailed with one sentence that says why there is nothing
     */
    LocalRollbackTarget requireTarget() {
        LocalRollbackTarget last = LocalRollbackTarget.of(journals.loadAllLatestFirst());
        switch (last) {
            case LocalRollbackTarget.OpenAttempt _ -> {}
            case LocalRollbackTarget.SucceededUpgrade(Journal done) -> {
                if (!runtime.isBackedUp(preparation.backupPath(done))) {
                    throw noTarget(
                            "The backup of attempt "
                                    + done.attempt()
                                    + " is gone: upgrade to the version you want instead.");
                }
            }
            case LocalRollbackTarget.NoTarget(String because) -> throw noTarget(because);
        }
        return last;
    }

    /**
     * Goes back.
     *
     * @throws ActionFailed when there is nothing to be taken back, or the backup is not what was
     *     saved; then nothing was touched
     */
    Journal rollBack() {
        return switch (requireTarget()) {
            case LocalRollbackTarget.OpenAttempt(Journal open) -> compensateOpen(open);
            case LocalRollbackTarget.SucceededUpgrade(Journal done) -> restoreSucceeded(done);
            case LocalRollbackTarget.NoTarget(String because) -> throw noTarget(because);
        };
    }

    private static ActionFailed noTarget(String because) {
        return new ActionFailed(ReasonCode.NO_BACKUP, because + " Nothing was done.");
    }

    /** What it already did is undone as after any failure; what it did not begin is not begun. */
    private Journal compensateOpen(Journal open) {
        runtime.syncInterruptedWrites(PossiblyModifiedFileFinder.possiblyModifiedBy(open));
        Journal back =
                open.direction() == AttemptDirection.BACKWARD ? open : withLocalRollback(open);
        journals.save(back);
        return runner.recoverOpen(back);
    }

    private Journal restoreSucceeded(Journal done) {
        runtime.requireRestorable(preparation.backupPath(done), done.before().requireRecorded());
        Journal back = withLocalRollback(done);
        journals.save(back);
        return runner.run(back);
    }

    private static Journal withLocalRollback(Journal journal) {
        return journal.withCompensationStarted(
                ReasonCode.ROLLED_BACK_LOCALLY,
                "An operator on the node took the upgrade back: find out why, then plan anew.");
    }
}
