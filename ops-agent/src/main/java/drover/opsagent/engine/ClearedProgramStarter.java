package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.AttemptRetentionFacts;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Start of the programs of a node that an operator clears. A program whose restore failed must run
 * before the node is cleared. A program that was stopped on purpose stays down.
 */
final class ClearedProgramStarter {
    /** Uptime from which on a program counts as running. */
    private static final Duration STABLE_UPTIME = Duration.ofSeconds(3);

    private static final Duration POLL = Duration.ofMillis(100);

    private final JournalStore journals;
    private final NodeRuntime runtime;
    private final ClearedLaunchSpecReconciler version;
    private final ProgramInspector inspector;
    private final Ticker ticker;

    ClearedProgramStarter(
            JournalStore journals,
            NodeRuntime runtime,
            ClearedLaunchSpecReconciler version,
            Ticker ticker) {
        this.journals = journals;
        this.runtime = runtime;
        this.version = version;
        this.inspector = new ProgramInspector(runtime);
        this.ticker = ticker;
    }

    /**
     * Why programs do not run, one entry for each.
     *
     * @param required of programs whose restore failed: the node is not cleared
     * @param other of the rest of the node's programs
     */
    record Failures(List<FailureReasonAndDetail> required, List<FailureReasonAndDetail> other) {}

    /**
     * Starts each program that should run and is down, and waits until it has stayed up. One that
     * does not is supervised only if it was before.
     *
     * @param clearedThrough attempts whose failures were cleared before
     */
    Failures startAll(List<ProgramProfile> programs, long clearedThrough, Duration timeout) {
        Deadline deadline = ticker.deadlineIn(timeout);
        Failures failures = new Failures(new ArrayList<>(), new ArrayList<>());
        List<ProgramProfile> others = new ArrayList<>();
        for (ProgramProfile program : programs) {
            Journal failed = findUnclearedFailure(program, clearedThrough);
            if (failed == null) {
                others.add(program);
            } else {
                attempt(() -> requireRunning(program, failed, deadline), failures.required());
            }
        }
        others.forEach(
                program ->
                        attempt(() -> requireRunning(program, false, deadline), failures.other()));
        return failures;
    }

    private static void attempt(Runnable start, List<FailureReasonAndDetail> failures) {
        try {
            start.run();
        } catch (ActionFailed | PathRefused | DiskFailure e) {
            failures.add(FailureReasonAndDetail.of(e));
        }
    }

    /** The latest attempt that may have changed the program, if it is a failure to be cleared. */
    private @Nullable Journal findUnclearedFailure(ProgramProfile program, long clearedThrough) {
        return journals.loadAllLatestFirst().stream()
                .filter(it -> it.assignment().work().programName().equals(program.name()))
                .filter(Journal::mayHaveChangedProgram)
                .findFirst()
                .filter(it -> AttemptRetentionFacts.of(it).needsClear(clearedThrough))
                .orElse(null);
    }

    /** An attempt stops a program; if its restore failed, the program is not desired anymore. */
    private void requireRunning(ProgramProfile program, Journal failed, Deadline deadline) {
        boolean wanted =
                failed.before() instanceof PreUpgradeState.Recorded before && before.wanted();
        requireRunning(requireOneVersion(program, failed, deadline), wanted, deadline);
    }

    /** A mixture that is down must not be started by supervision either. */
    private ProgramProfile requireOneVersion(
            ProgramProfile program, Journal failed, Deadline deadline) {
        try {
            return version.requireOneVersion(program, failed);
        } catch (ActionFailed | PathRefused | DiskFailure e) {
            if (runtime.status(program.spec().name()) instanceof ProgramState.Down) {
                stop(program, deadline, e);
            }
            throw e;
        }
    }

    private void requireRunning(ProgramProfile program, boolean wanted, Deadline deadline) {
        BinaryName name = program.spec().name();
        runtime.allowStarts(name);
        if (staysUp(name, deadline)) {
            if (wanted) {
                runtime.cancelStop(name); // a stop that failed leaves it up, but not desired
            }
            return;
        }
        boolean supervised = runtime.status(name).desired();
        if (wanted || supervised) {
            start(program, supervised, deadline);
        }
    }

    /** Waits until a program that is up has stayed up. Returns false if it is down. */
    private boolean staysUp(BinaryName name, Deadline deadline) {
        while (runtime.status(name) instanceof ProgramState.Up up) {
            if (up.upFor().compareTo(STABLE_UPTIME) >= 0) {
                return true;
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        name + " did not settle in time: look at what slows the node.");
            }
            ticker.pause(POLL);
        }
        return false;
    }

    /** Stops it first: supervision may have started it in the meantime. */
    private void start(ProgramProfile program, boolean supervised, Deadline deadline) {
        BinaryName name = program.spec().name();
        String installed = runtime.installedDigest(program.spec());
        Digest digest = installed.isEmpty() ? Digest.of("") : new Digest(installed);
        Digest configDigest = inspector.readConfigDigest(program);
        try {
            runtime.stop(name, program.spec().launch().stop(), deadline);
            runtime.reload(); // an operator may have replaced its unit file
            if (supervised) {
                Compensation.startOrSupervise(runtime, program, digest, configDigest, deadline);
            } else {
                runtime.start(program.spec(), digest, configDigest, deadline);
            }
        } catch (ActionFailed | PathRefused | DiskFailure | AgentStopping e) {
            if (isSlow(e) && runtime.status(name) instanceof ProgramState.Up) {
                suppressFailure(() -> runtime.cancelStop(name), e);
            } else if (supervised) {
                suppressFailure(
                        () -> runtime.setDesiredRunning(program.spec(), digest, configDigest), e);
            } else {
                stop(program, deadline, e); // an operator repairs its files next
            }
            throw e;
        } finally {
            runtime.allowStarts(name);
        }
    }

    /** Whether the start took too long. Then the program may run, and continues. */
    private static boolean isSlow(RuntimeException failure) {
        return failure instanceof AgentStopping
                || (failure instanceof ActionFailed action
                        && action.reason() == ReasonCode.ACTION_TIMED_OUT);
    }

    private void stop(ProgramProfile program, Deadline deadline, RuntimeException cause) {
        suppressFailure(
                () -> runtime.stop(program.spec().name(), program.spec().launch().stop(), deadline),
                cause);
    }

    private static void suppressFailure(Runnable effect, RuntimeException cause) {
        try {
            effect.run();
        } catch (ActionFailed | DiskFailure | AgentStopping e) {
            cause.addSuppressed(e);
        }
    }
}
