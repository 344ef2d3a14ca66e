package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.ActionEntry;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Undo steps of failed upgrades and of restores. Each may be repeated. */
final class Compensation {
    private static final Logger LOG = LoggerFactory.getLogger(Compensation.class);

    private final NodeRuntime runtime;
    private final StateDirectory state;
    private final JournalStore journals;
    private final UpgradeActionRunner actions;
    private final ProgramInspector view;

    Compensation(
            NodeRuntime runtime,
            StateDirectory state,
            JournalStore journals,
            UpgradeActionRunner actions) {
        this.runtime = runtime;
        this.state = state;
        this.journals = journals;
        this.actions = actions;
        this.view = new ProgramInspector(runtime);
    }

    void undo(UndoStep step, Journal journal, Deadline deadline, Consumer<String> notes) {
        ProgramProfile program = actions.programProfile(journal.assignment().work().programName());
        switch (step) {
            case STOP -> notes.accept(stopProgram(program, journal, deadline));
            case FILES -> restoreFilesOrStartAgain(program, journal);
            case RELOAD -> runtime.reload();
            case START -> startProgram(program, journal, deadline, notes);
            case CURRENT, SUCCESSOR -> throw new IllegalStateException("The agent's own step");
        }
    }

    private String stopProgram(ProgramProfile program, Journal journal, Deadline deadline) {
        return runtime.stop(program.spec().name(), actions.stopSettings(journal), deadline);
    }

    /** The run of before proves that no later step was executed: each needs a completed stop. */
    boolean cancelStopIfIneffective(Journal journal) {
        ObservedProgram before = journal.ending().seen();
        ProgramProfile program = actions.programProfile(journal.assignment().work().programName());
        boolean unchanged =
                !before.runId().isEmpty()
                        && !before.runningDigest().isEmpty()
                        && view.readObservedProgram(program).equals(before);
        if (unchanged) {
            runtime.cancelStop(program.spec().name());
            LOG.info("Stop had no effect program={} runId={}", program.name(), before.runId());
        }
        return unchanged;
    }

    /** A program that was healthy before its restore does not stay down for files that it kept. */
    private void restoreFilesOrStartAgain(ProgramProfile program, Journal journal) {
        List<PreUpgradeState.FileState> present = null;
        try {
            present = readFiles(journal);
            restoreFiles(journal);
        } catch (ActionFailed | DiskFailure | PathRefused e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            throw new ActionFailed(
                    failure.reason(),
                    failure.detail()
                            + superviseUpgradedIfUnchanged(program, journal, present)
                            + nextStepAfterClear(journal));
        }
    }

    /** A clear starts the version whose files are installed: after an upgrade, its target. */
    private static String nextStepAfterClear(Journal journal) {
        return journal.assignment().work() instanceof Work.Restore
                ? " After the clear, roll back again."
                : " The clear starts the version whose files are installed: to run the earlier one,"
                        + " restore its files from the backup by hand before the clear.";
    }

    /** The files as they are: content and attributes, also of files that the program may write. */
    private List<PreUpgradeState.FileState> readFiles(Journal journal) {
        return view.readFiles(
                journal.before().requireRecorded().files().stream()
                        .map(PreUpgradeState.FileState::path)
                        .toList());
    }

    /**
     * Starts the upgraded version again if the restore wrote none of its files (D3).
     *
     * @param present files before the restore; null if they could not be read and none was written
     * @return the result as a further sentence; empty if the program stays down
     */
    private String superviseUpgradedIfUnchanged(
            ProgramProfile program,
            Journal journal,
            @Nullable List<PreUpgradeState.FileState> present) {
        try {
            Work.Upgrade upgrade = findWorkingUpgrade(journal);
            if (upgrade == null
                    || (present != null && !readFiles(journal).equals(present))
                    || !actions.isWritten(program, upgrade)) {
                return "";
            }
            runtime.setDesiredRunning(
                    program.spec(), upgrade.artifact().digest(), upgrade.targetConfigDigest());
            return " The upgraded version is started again.";
        } catch (ActionFailed | DiskFailure | PathRefused e) {
            return " The upgraded version could not be started again: "
                    + FailureReasonAndDetail.of(e).detail();
        }
    }

    /**
     * The upgrade that is undone although this attempt did not find its version unhealthy. Null if
     * there is none, or if the agent was restarted: an earlier agent may have restored some files.
     */
    private Work.@Nullable Upgrade findWorkingUpgrade(Journal journal) {
        Journal undone = journals.loadUndoneJournal(journal);
        if (!journal.undoesStartedVersion() || journal.agentRestarts() > 0 || undone == null) {
            return null;
        }
        ActionEntry start = undone.findEntry(UpgradeAction.START_NODE);
        return start != null
                        && start.hasSucceeded()
                        && undone.assignment().work() instanceof Work.Upgrade upgrade
                ? upgrade
                : null;
    }

    private void restoreFiles(Journal journal) {
        ProgramProfile previous =
                runtime.restoreFiles(backupFor(journal), journal.before().requireRecorded());
        state.saveRecord(state.loadProfile().with(previous));
    }

    private void startProgram(
            ProgramProfile program, Journal journal, Deadline deadline, Consumer<String> notes) {
        PreUpgradeState.Recorded before = journal.before().requireRecorded();
        if (before.digest().isEmpty()) {
            throw new ActionFailed(
                    ReasonCode.START_FAILED, "There was no program before: install one.");
        }
        Digest digest = new Digest(before.digest());
        if (runtime.status(program.spec().name()) instanceof ProgramState.Up up
                && digest.equals(up.digest())
                && up.configDigest().equals(before.configDigest())) {
            return;
        }
        notes.accept(stopProgram(program, journal, deadline));
        if (!findUnrestoredFileForStart(program, before).isEmpty()) {
            // The machine failed during an earlier start, after which the program changed a file.
            restoreFiles(journal);
            runtime.reload();
        }
        requireRestoredFiles(program, before);
        if (before.alive()) {
            startOrSupervise(runtime, program, digest, before.configDigest(), deadline);
        } else {
            // It was crash-looping before the attempt: supervision starts it.
            runtime.setDesiredRunning(program.spec(), digest, before.configDigest());
        }
    }

    /**
     * Starts a program whose files are complete. If it does not stay up, the failure is reported
     * and supervision continues to start it: a node that stays stopped would be worse.
     *
     * @throws ActionFailed with START_FAILED if it does not stay up
     */
    static void startOrSupervise(
            NodeRuntime runtime,
            ProgramProfile program,
            Digest digest,
            Digest configDigest,
            Deadline deadline) {
        try {
            runtime.start(program.spec(), digest, configDigest, deadline);
        } catch (ActionFailed e) {
            if (e.reason() == ReasonCode.START_FAILED) {
                runtime.stop(program.spec().name(), program.spec().launch().stop(), deadline);
                runtime.setDesiredRunning(program.spec(), digest, configDigest);
            }
            throw e;
        }
    }

    /** While the program is stopped: afterwards it may change its files. */
    private void requireRestoredFiles(ProgramProfile program, PreUpgradeState.Recorded before) {
        String other = findUnrestoredFileForStart(program, before);
        if (!other.isEmpty()) {
            throw new ActionFailed(
                    ReasonCode.PROOF_FAILED,
                    other + " is not as it was: repair it by hand, then clear the node.");
        }
    }

    /**
     * The same before a start. A file that the program may write counts as restored while it is
     * there: it was restored before the first start, and since then only the program wrote it.
     */
    private String findUnrestoredFileForStart(
            ProgramProfile program, PreUpgradeState.Recorded before) {
        return findUnrestoredFile(
                program,
                before,
                file ->
                        file.existed()
                                && program.spec().programWritten().contains(file.path())
                                && !runtime.digestOf(file.path()).isEmpty());
    }

    /** The first file that is not as it was, in words; empty if all are. */
    private String findUnrestoredFile(ProgramProfile program, PreUpgradeState.Recorded before) {
        return findUnrestoredFile(program, before, _ -> false);
    }

    private String findUnrestoredFile(
            ProgramProfile program,
            PreUpgradeState.Recorded before,
            Predicate<PreUpgradeState.FileState> accepted) {
        for (PreUpgradeState.FileState file : before.files()) {
            String digest = runtime.digestOf(file.path());
            if (!accepted.test(file) && !file.matches(digest, runtime.attributesOf(file.path()))) {
                return file.path().value();
            }
        }
        return view.readConfigDigest(program).equals(before.configDigest())
                ? ""
                : "The configuration";
    }

    /**
     * Whether the node is as it was: files, launch specification, and what runs. Of a program that
     * runs again the files were verified before its start.
     */
    boolean isRestored(Journal journal) {
        PreUpgradeState.Recorded before = journal.before().requireRecorded();
        ProgramProfile program = actions.programProfile(journal.assignment().work().programName());
        if (!runtime.installedDigest(program.spec()).equals(before.digest())) {
            return false;
        }
        if (!before.wanted()) {
            return findUnrestoredFile(program, before).isEmpty();
        }
        if (!before.alive()) {
            return true; // its files were verified before it was started
        }
        return view.requireInspectable(program.spec().name()) instanceof ProgramState.Up up
                && new Digest(before.digest()).equals(up.digest())
                && up.configDigest().equals(before.configDigest());
    }

    /** The backup that an attempt goes back to: its own, or that of the attempt it undoes. */
    Path backupFor(Journal journal) {
        Journal undone = journals.loadUndoneJournal(journal);
        if (undone == null) {
            throw new ActionFailed(
                    ReasonCode.NO_BACKUP,
                    "The journal of the attempt to undo was deleted: repair the node by hand, then"
                            + " clear it.");
        }
        return actions.backupPath(undone);
    }
}
