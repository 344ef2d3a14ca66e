package drover.opsagent.engine;

import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.script.Assignment;
import drover.opsagent.script.Before;
import drover.opsagent.script.ConfigFile;
import drover.opsagent.script.Ending;
import drover.opsagent.script.Journal;
import drover.opsagent.script.Observed;
import drover.opsagent.script.Readiness;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Request;
import drover.opsagent.script.Seen;
import drover.opsagent.script.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.ReleaseGate;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks at the node before an attempt and writes the first page of its journal. */
final class Preparation {
    private final StateDirectory state;
    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final ReleaseGate releases;
    private final NodeView view;

    /** For a node whose owner asks for no signatures. */
    Preparation(StateDirectory state, JournalStore journals, NodeRuntime runtime) {
        this(state, journals, runtime, ReleaseGate.OPEN);
    }

    Preparation(
            StateDirectory state,
            JournalStore journals,
            NodeRuntime runtime,
            ReleaseGate releases) {
        this.state = state;
        this.journals = journals;
        this.runtime = runtime;
        this.releases = releases;
        this.view = new NodeView(runtime);
    }

    /** The journal of an upgrade: ready to run, or over because it may not or need not begin. */
    Journal upgrade(Delivery delivery, Work.Upgrade upgrade) {
        Assignment assignment = assignment(delivery.request(), delivery.budget(), upgrade);
        ProgramProfile previous = state.profile().program(upgrade.programName());
        if (previous == null) {
            return refused(
                    assignment,
                    ReasonCode.UNKNOWN_PROGRAM,
                    "This node has no program "
                            + upgrade.programName()
                            + ": leave the node out, or adopt the program.");
        }
        List<NodePath> paths = NodeView.after(upgrade, previous).managedFiles().stream().toList();
        try {
            // First of all: nothing is looked at, fetched or begun for work that is not believed.
            Work.Upgrade believed = upgrade.bounded(releases.admit(upgrade, delivery.release()));
            runtime.preflight(upgrade.spec(), paths);
            return assessed(
                    delivery,
                    assignment(delivery.request(), delivery.budget(), believed),
                    believed,
                    previous);
        } catch (ActionFailed | PathRefused | DiskFailure e) {
            Failures failure = Failures.of(e);
            return refused(assignment, failure.reason(), failure.detail());
        }
    }

    private Journal assessed(
            Delivery delivery,
            Assignment assignment,
            Work.Upgrade upgrade,
            ProgramProfile previous) {
        String problem = problem(delivery, upgrade, previous);
        if (!problem.isEmpty()) {
            return refused(assignment, ReasonCode.MALFORMED_BODY, problem);
        }
        Observed observed = view.observe(previous);
        return switch (Readiness.of(upgrade, observed)) {
            case Readiness.NotReady(ReasonCode reason, String detail) ->
                    refused(assignment, reason, detail);
            case Readiness.AlreadyThere() -> alreadyThere(assignment, upgrade, previous, observed);
            case Readiness.Ready() -> {
                journals.keepContents(assignment.attempt(), delivery.contents());
                yield Journal.accepted(assignment, view.before(upgrade, previous, observed));
            }
        };
    }

    private String problem(Delivery delivery, Work.Upgrade upgrade, ProgramProfile previous) {
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

    private Journal alreadyThere(
            Assignment assignment,
            Work.Upgrade upgrade,
            ProgramProfile previous,
            Observed observed) {
        Journal journal = Journal.accepted(assignment, view.before(upgrade, previous, observed));
        for (UpgradeAction action : UpgradeAction.values()) {
            journal = journal.done(action, ActionOutcome.ALREADY_DONE, Instant.EPOCH);
        }
        return journal.ended(upgrade.proven(), ReasonCode.NONE, "", view.see(previous));
    }

    /** The journal of a restore: ready to run, or over. */
    Journal restore(Delivery delivery, Work.Restore restore) {
        Assignment assignment = assignment(delivery.request(), delivery.budget(), restore);
        ProgramProfile program = state.profile().program(restore.programName());
        if (program == null) {
            return refused(
                    assignment,
                    ReasonCode.UNKNOWN_PROGRAM,
                    "This node has no program " + restore.programName() + ": leave it out.");
        }
        Journal undone = journals.journal(restore.ofAttempt());
        if (isThere(restore, program, undone)) {
            return Journal.accepted(assignment, new Before.NotTaken())
                    .ended(AttemptOutcome.RESTORED, ReasonCode.NONE, "", view.see(program));
        }
        if (undone == null
                || !(undone.before() instanceof Before.Taken before)
                || !runtime.isBackedUp(backupOf(undone))) {
            return withoutBackup(delivery, assignment, restore, program);
        }
        Journal accepted =
                Journal.accepted(assignment, before).withLogTail(lastWords(program.spec().name()));
        return fromBackup(accepted, restore, undone, before);
    }

    /** Installed as expected, and it runs, or it is not for this attempt that it does not. */
    private boolean isThere(
            Work.Restore restore, ProgramProfile program, @Nullable Journal undone) {
        Observed observed = view.observe(program);
        boolean same =
                observed.digest().equals(restore.expectedDigest().value())
                        && observed.configDigest().equals(restore.expectedConfigDigest());
        boolean wanted = runtime.status(program.spec().name()).wanted();
        boolean untouched = undone != null && !undone.hasMutated();
        return same && (observed.alive() || !wanted || untouched);
    }

    private Journal fromBackup(
            Journal accepted, Work.Restore restore, Journal undone, Before.Taken before) {
        Assignment assignment = accepted.assignment();
        boolean asPlanned =
                before.digest().equals(restore.expectedDigest().value())
                        && before.configDigest().equals(restore.expectedConfigDigest());
        if (!asPlanned) {
            return refused(
                    assignment,
                    ReasonCode.BACKUP_MISMATCH,
                    "The backup of attempt "
                            + restore.ofAttempt()
                            + " holds something else than expected: look at the plan.");
        }
        try {
            runtime.verifyBackup(backupOf(undone), before); // while the program still runs
            return accepted;
        } catch (ActionFailed e) {
            Failures failure = Failures.of(e);
            return accepted.ended(
                    AttemptOutcome.FAILED_ROLLBACK,
                    failure.reason(),
                    failure.detail(),
                    Seen.NOTHING);
        }
    }

    /**
     * What ran before is installed anew, as any upgrade is, but only while its configuration is the
     * one of before: old bytes never run under new files (D3).
     */
    private Journal withoutBackup(
            Delivery delivery, Assignment assignment, Work.Restore restore, ProgramProfile now) {
        Work.Previous previous = restore.previous();
        Digest config = restore.expectedConfigDigest();
        if (previous == null || !view.configDigest(now).equals(config)) {
            return noBackup(assignment, restore);
        }
        return upgrade(
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
    private String lastWords(BinaryName program) {
        boolean fell =
                switch (runtime.status(program)) {
                    case ProgramState.Up up -> up.startsSince() > 0;
                    case ProgramState.Down down -> down.wanted();
                };
        if (!fell && !runtime.isCrashLooping(program)) {
            return "";
        }
        try {
            return runtime.logTail(program, UpgradeActions.LOG_TAIL_BYTES);
        } catch (DiskFailure e) {
            return ""; // bringing the program back matters more than what it said
        }
    }

    Path backupOf(Journal journal) {
        return state.backups()
                .resolve(journal.assignment().rolloutId())
                .resolve(Long.toString(journal.attempt()));
    }

    private static Journal noBackup(Assignment assignment, Work.Restore restore) {
        return refused(
                assignment,
                ReasonCode.NO_BACKUP,
                "There is no backup of attempt "
                        + restore.ofAttempt()
                        + " on this node: upgrade to the version you want instead.");
    }

    private static Journal refused(Assignment assignment, ReasonCode reason, String detail) {
        return Journal.closed(
                assignment, new Ending(AttemptOutcome.REFUSED, reason, detail, Seen.NOTHING, ""));
    }

    Assignment assignment(Request request, Duration budget, Work work) {
        return new Assignment(
                request.attempt(),
                request.bodyDigest(),
                request.rolloutId(),
                work,
                budget,
                state.files().unpredictableName());
    }

    static Work workOf(Delivery delivery) {
        return switch (delivery.request().work()) {
            case Request.Reading.Asked(Work work) -> work;
            case Request.Reading.Unreadable _ -> new Work.Nothing();
        };
    }
}
