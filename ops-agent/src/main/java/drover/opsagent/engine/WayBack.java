package drover.opsagent.engine;

import drover.model.Digest;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.script.Before;
import drover.opsagent.script.Journal;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.UndoStep;
import drover.opsagent.script.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;

/** The steps back, for a failed upgrade and for a restore alike. Each may be repeated. */
final class WayBack {
    private final NodeRuntime runtime;
    private final StateDirectory state;
    private final JournalStore journals;
    private final UpgradeActions actions;
    private final NodeView view;

    WayBack(
            NodeRuntime runtime,
            StateDirectory state,
            JournalStore journals,
            UpgradeActions actions) {
        this.runtime = runtime;
        this.state = state;
        this.journals = journals;
        this.actions = actions;
        this.view = new NodeView(runtime);
    }

    void perform(UndoStep step, Journal journal, Deadline deadline) {
        ProgramProfile program = actions.program(journal.assignment().work().programName());
        switch (step) {
            case STOP -> runtime.stop(program.spec().name(), deadline);
            case FILES -> restoreFiles(journal);
            case RELOAD -> runtime.reload();
            case START -> start(program, journal.before().taken(), deadline);
            case CURRENT, SUCCESSOR -> throw new IllegalStateException("The agent's own step");
        }
    }

    private void restoreFiles(Journal journal) {
        ProgramProfile previous = runtime.restore(backupFor(journal), journal.before().taken());
        state.keep(state.profile().with(previous));
    }

    private void start(ProgramProfile program, Before.Taken before, Deadline deadline) {
        if (before.digest().isEmpty()) {
            throw new ActionFailed(
                    ReasonCode.START_FAILED, "There was no program before: install one.");
        }
        Digest digest = new Digest(before.digest());
        if (runtime.status(program.spec().name()) instanceof ProgramState.Up up
                && up.digest().equals(digest)
                && up.configDigest().equals(before.configDigest())) {
            return;
        }
        runtime.stop(program.spec().name(), deadline);
        if (before.alive()) {
            startOrWatch(program, digest, before.configDigest(), deadline);
        } else {
            // It was falling over before: it gets back to where it was, under supervision.
            runtime.want(program.spec(), digest, before.configDigest());
        }
    }

    /**
     * All files are back: when the program does not stay up at once, the attempt says so, and
     * supervision goes on trying. A node left stopped would be worse.
     */
    private void startOrWatch(
            ProgramProfile program, Digest digest, Digest configDigest, Deadline deadline) {
        try {
            runtime.start(program.spec(), digest, configDigest, deadline);
        } catch (ActionFailed e) {
            if (e.reason() == ReasonCode.START_FAILED) {
                runtime.stop(program.spec().name(), deadline);
                runtime.want(program.spec(), digest, configDigest);
            }
            throw e;
        }
    }

    /** Whether the node is as it was: files, launch specification, and what runs. */
    boolean isAsBefore(Journal journal) {
        Before.Taken before = journal.before().taken();
        ProgramProfile program = actions.program(journal.assignment().work().programName());
        boolean files =
                before.files().stream()
                        .allMatch(file -> runtime.digestOf(file.path()).equals(file.digest()));
        boolean installed = runtime.installed(program.spec()).equals(before.digest());
        if (!files || !installed || !view.configDigest(program).equals(before.configDigest())) {
            return false;
        }
        boolean mustRun = before.wanted() && before.alive();
        return !mustRun || view.observe(program).runningDigest().equals(before.digest());
    }

    /** The backup that an attempt goes back to: its own, or that of the attempt it undoes. */
    Path backupFor(Journal journal) {
        if (journal.assignment().work() instanceof Work.Restore restore) {
            Journal undone = journals.journal(restore.ofAttempt());
            if (undone == null) {
                throw new ActionFailed(
                        ReasonCode.NO_BACKUP,
                        "The journal of attempt "
                                + restore.ofAttempt()
                                + " is gone: repair the node by hand, then clear it.");
            }
            return actions.backupOf(undone);
        }
        return actions.backupOf(journal);
    }
}
