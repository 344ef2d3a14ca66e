package drover.opsagent.engine;

import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.PreconditionResult;
import drover.opsagent.plan.ProgramSnapshot;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the node before an attempt and writes the first page of its journal. */
public final class ProgramAttemptJournalCreator {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramAttemptJournalCreator.class);
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final ReleaseAuthorizerAndRecorder releases;
    private final ProgramInspector view;

    /** For a node whose owner asks for no signatures. */
    ProgramAttemptJournalCreator(StateDirectory state, JournalStore journals, NodeRuntime runtime) {
        this(state, journals, runtime, ReleaseAuthorizerAndRecorder.ALLOW_ALL);
    }

    ProgramAttemptJournalCreator(
            StateDirectory state,
            JournalStore journals,
            NodeRuntime runtime,
            ReleaseAuthorizerAndRecorder releases) {
        this.state = state;
        this.journals = journals;
        this.runtime = runtime;
        this.releases = releases;
        this.view = new ProgramInspector(runtime);
    }

    /** The journal of an upgrade: ready to run, or over because it may not or need not begin. */
    Journal prepareUpgrade(CommandWithContents delivery, Work.Upgrade upgrade) {
        Assignment assignment = newAssignment(delivery.command(), delivery.budget(), upgrade);
        ProgramProfile previous = state.loadProfile().findProgram(upgrade.programName());
        if (previous == null) {
            return refusedJournal(
                    assignment,
                    ReasonCode.UNKNOWN_PROGRAM,
                    "This node has no program "
                            + upgrade.programName()
                            + ": leave the node out, or adopt the program.");
        }
        List<NodePath> paths = ProgramInspector.managedFilesAfter(upgrade, previous);
        try {
            // First of all: nothing is looked at, fetched or begun for work that is not believed.
            Work.Upgrade trusted =
                    upgrade.withSize(releases.authorizeAndGetSize(upgrade, delivery.release()));
            runtime.requireLaunchable(upgrade.spec(), paths);
            return checkAndPrepareJournal(
                    delivery,
                    newAssignment(delivery.command(), delivery.budget(), trusted),
                    trusted,
                    previous);
        } catch (ActionFailed | PathRefused | DiskFailure e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            return refusedJournal(assignment, failure.reason(), failure.detail());
        }
    }

    private Journal checkAndPrepareJournal(
            CommandWithContents delivery,
            Assignment assignment,
            Work.Upgrade upgrade,
            ProgramProfile previous) {
        view.requireManagedFiles(upgrade, previous);
        String problem = findConfigProblem(delivery, upgrade, previous);
        if (!problem.isEmpty()) {
            return refusedJournal(assignment, ReasonCode.MALFORMED_BODY, problem);
        }
        ProgramSnapshot observed = view.readSnapshot(previous);
        return switch (PreconditionResult.of(upgrade, observed)) {
            case PreconditionResult.PreconditionFailed(ReasonCode reason, String detail) ->
                    refusedJournal(assignment, reason, detail);
            case PreconditionResult.AlreadyDone() ->
                    alreadyInstalledJournal(assignment, upgrade, previous, observed);
            case PreconditionResult.Ready() -> {
                view.requireTakenOverContents(upgrade, previous);
                journals.saveContents(assignment.attempt(), delivery.contents());
                yield Journal.accepted(
                        assignment, view.readPreUpgradeState(upgrade, previous, observed));
            }
        };
    }

    private String findConfigProblem(
            CommandWithContents delivery, Work.Upgrade upgrade, ProgramProfile previous) {
        for (ConfigFile file : upgrade.files()) {
            if (!delivery.contents().containsKey(file.digest())) {
                return "The content of " + file.path() + " did not come along: send it.";
            }
        }
        return view.configDigestAfter(upgrade, previous).equals(upgrade.targetConfigDigest())
                ? ""
                : "The files and launch specification do not make up target_config_digest: the"
                        + " plan is for another node or another state, plan anew.";
    }

    private Journal alreadyInstalledJournal(
            Assignment assignment,
            Work.Upgrade upgrade,
            ProgramProfile previous,
            ProgramSnapshot observed) {
        Journal journal =
                Journal.accepted(assignment, view.readPreUpgradeState(upgrade, previous, observed));
        for (UpgradeAction action : UpgradeAction.values()) {
            journal = journal.withActionDone(action, ActionOutcome.ALREADY_DONE, Instant.EPOCH);
        }
        return journal.withResult(
                upgrade.successOutcome(), ReasonCode.NONE, "", view.readObservedProgram(previous));
    }

    /** The journal of a restore: ready to run, or over. */
    Journal prepareRestore(CommandWithContents delivery, Work.Restore restore) {
        Assignment assignment = newAssignment(delivery.command(), delivery.budget(), restore);
        ProgramProfile program = state.loadProfile().findProgram(restore.programName());
        if (program == null) {
            return refusedJournal(
                    assignment,
                    ReasonCode.UNKNOWN_PROGRAM,
                    "This node has no program " + restore.programName() + ": leave it out.");
        }
        Journal undone = journals.loadJournal(restore.ofAttempt());
        if (isAlreadyRestored(restore, program, undone)) {
            return Journal.accepted(assignment, new PreUpgradeState.NotNeeded())
                    .withResult(
                            AttemptOutcome.RESTORED,
                            ReasonCode.NONE,
                            "",
                            view.readObservedProgram(program));
        }
        if (undone == null
                || !(undone.before() instanceof PreUpgradeState.Recorded before)
                || !runtime.isBackedUp(backupPath(undone))) {
            return prepareByDownload(delivery, assignment, restore, program);
        }
        Journal accepted =
                Journal.accepted(assignment, before)
                        .withLogTail(logTailIfCrashed(program.spec().name()));
        return prepareFromBackup(accepted, restore, undone, before);
    }

    /** Installed as expected, and it runs, or it is not for this attempt that it does not. */
    private boolean isAlreadyRestored(
            Work.Restore restore, ProgramProfile program, @Nullable Journal undone) {
        ProgramSnapshot observed = view.readSnapshot(program);
        boolean same =
                observed.runningOrFileDigest().equals(restore.expectedDigest().value())
                        && observed.configDigest().equals(restore.expectedConfigDigest());
        boolean wanted = runtime.status(program.spec().name()).desired();
        boolean untouched = undone != null && !undone.mayHaveMutated();
        return same && (observed.isRunning() || !wanted || untouched);
    }

    private Journal prepareFromBackup(
            Journal accepted,
            Work.Restore restore,
            Journal undone,
            PreUpgradeState.Recorded before) {
        Assignment assignment = accepted.assignment();
        boolean asPlanned =
                before.digest().equals(restore.expectedDigest().value())
                        && before.configDigest().equals(restore.expectedConfigDigest());
        if (!asPlanned) {
            return refusedJournal(
                    assignment,
                    ReasonCode.BACKUP_MISMATCH,
                    "The backup of attempt "
                            + restore.ofAttempt()
                            + " holds something else than expected: look at the plan.");
        }
        try {
            runtime.requireRestorable(backupPath(undone), before); // while the program still runs
            return accepted;
        } catch (ActionFailed | PathRefused | DiskFailure e) {
            FailureReasonAndDetail failure = FailureReasonAndDetail.of(e);
            // A damaged backup stays damaged; what is wrong with the disk can be repaired.
            return failure.reason() == ReasonCode.BACKUP_MISMATCH
                    ? accepted.withResult(
                            AttemptOutcome.FAILED_ROLLBACK,
                            failure.reason(),
                            failure.detail(),
                            ObservedProgram.NOTHING)
                    : refusedJournal(assignment, failure.reason(), failure.detail());
        }
    }

    /**
     * What ran before is installed anew, as any upgrade is, but only while its configuration is the
     * one of before: old bytes never run under new files (D3).
     */
    private Journal prepareByDownload(
            CommandWithContents delivery,
            Assignment assignment,
            Work.Restore restore,
            ProgramProfile now) {
        Work.PreviousArtifactToReinstall previous = restore.previous();
        Digest config = restore.expectedConfigDigest();
        if (previous == null || !view.readConfigDigest(now).equals(config)) {
            return noBackupRefusal(assignment, restore);
        }
        return prepareUpgrade(
                delivery,
                new Work.Upgrade(
                        now.spec(),
                        previous.version(),
                        previous.artifact(),
                        List.of(),
                        previous.installed(),
                        config.value(),
                        config,
                        restore.ofAttempt()));
    }

    /**
     * The end of the output of a program that fell, empty for one that did not. Read before the
     * program is stopped and its starts are counted anew: afterwards neither tells of the fall.
     */
    private String logTailIfCrashed(BinaryName program) {
        boolean fell =
                switch (runtime.status(program)) {
                    case ProgramState.Up up -> up.startsSince() > 0;
                    case ProgramState.Down down -> down.desired();
                };
        if (!fell && !runtime.isCrashLooping(program)) {
            return "";
        }
        try {
            return runtime.crashedLogTail(program, UpgradeActionRunner.LOG_TAIL_BYTES);
        } catch (AgentStopping e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn("The output of a program cannot be read program={}", program, e);
            return ""; // restoring the program matters more than its output
        }
    }

    Path backupPath(Journal journal) {
        return state.backups()
                .resolve(journal.assignment().rolloutId())
                .resolve(Long.toString(journal.attempt()));
    }

    private static Journal noBackupRefusal(Assignment assignment, Work.Restore restore) {
        return refusedJournal(
                assignment,
                ReasonCode.NO_BACKUP,
                "There is no backup of attempt "
                        + restore.ofAttempt()
                        + " on this node: upgrade to the version you want instead.");
    }

    static Journal refusedJournal(Assignment assignment, ReasonCode reason, String detail) {
        return Journal.neverStarted(
                assignment,
                new AttemptResult(
                        AttemptOutcome.REFUSED, reason, detail, ObservedProgram.NOTHING, ""));
    }

    Assignment newAssignment(ParsedCommand request, Duration budget, Work work) {
        return new Assignment(
                request.attempt(),
                request.bodyDigest(),
                request.rolloutId(),
                work,
                budget,
                state.files().randomName());
    }

    public static Work workOrNoWork(CommandWithContents delivery) {
        return switch (delivery.command().work()) {
            case ParsedCommand.WorkParseResult.Valid(Work work) -> work;
            case ParsedCommand.WorkParseResult.Unreadable _ -> new Work.UnreadWork();
        };
    }
}
