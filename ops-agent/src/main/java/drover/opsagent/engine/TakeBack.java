package drover.opsagent.engine;

import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.script.Direction;
import drover.opsagent.script.Journal;
import drover.opsagent.script.LastTaken;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.JournalStore;

/**
 * The way back from the last attempt that somebody on the node asks for, without any server
 * (invariant D17). On the desk's one thread.
 */
final class TakeBack {
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final Preparation preparation;
    private final AttemptRunner runner;

    TakeBack(
            JournalStore journals,
            NodeRuntime runtime,
            Preparation preparation,
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
    LastTaken find() {
        LastTaken last = LastTaken.of(journals.latestFirst());
        switch (last) {
            case LastTaken.Open _ -> {}
            case LastTaken.Upgraded(Journal done) -> {
                if (!runtime.isBackedUp(preparation.backupOf(done))) {
                    throw nothingDone(
                            "The backup of attempt "
                                    + done.attempt()
                                    + " is gone: upgrade to the version you want instead.");
                }
            }
            case LastTaken.Nothing(String because) -> throw nothingDone(because);
        }
        return last;
    }

    /**
     * Goes back.
     *
     * @throws ActionFailed when there is nothing to be taken back, or the backup is not what was
     *     saved; then nothing was touched
     */
    Journal run() {
        return switch (find()) {
            case LastTaken.Open(Journal open) -> turnBack(open);
            case LastTaken.Upgraded(Journal done) -> takeBack(done);
            case LastTaken.Nothing(String because) -> throw nothingDone(because);
        };
    }

    private static ActionFailed nothingDone(String because) {
        return new ActionFailed(ReasonCode.NO_BACKUP, because + " Nothing was done.");
    }

    /** What it already did is undone as after any failure; what it did not begin is not begun. */
    private Journal turnBack(Journal open) {
        runtime.settle(Paths.touched(open));
        Journal back = open.direction() == Direction.BACKWARD ? open : turnedBack(open);
        journals.save(back);
        return runner.recover(back);
    }

    private Journal takeBack(Journal done) {
        runtime.verifyBackup(preparation.backupOf(done), done.before().taken());
        Journal back = turnedBack(done);
        journals.save(back);
        return runner.run(back);
    }

    private static Journal turnedBack(Journal journal) {
        return journal.turnedBack(
                ReasonCode.ROLLED_BACK_LOCALLY,
                "An operator on the node took the upgrade back: find out why, then plan anew.");
    }
}
