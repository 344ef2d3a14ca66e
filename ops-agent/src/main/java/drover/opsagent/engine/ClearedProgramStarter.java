package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PastAttempt;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.ProgramProfile;
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
    private final ProgramInspector inspector;
    private final Ticker ticker;

    ClearedProgramStarter(
            JournalStore journals, NodeRuntime runtime, ProgramInspector inspector, Ticker ticker) {
        this.journals = journals;
        this.runtime = runtime;
        this.inspector = inspector;
        this.ticker = ticker;
    }

    /**
     * Why programs do not run, one entry for each.
     *
     * @param required of programs whose restore failed: the node is not cleared
     * @param other of the rest of the node's programs
     */
    record Failures(List<FailureCause> required, List<FailureCause> other) {}

    /**
     * Starts each program that should run and is down, and waits until it has stayed up.
     * Supervision continues with a program that does not.
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
                boolean wanted = wantedBefore(failed);
                attempt(() -> requireStableOrStart(program, wanted, deadline), failures.required());
            }
        }
        others.forEach(
                program ->
                        attempt(
                                () -> requireStableOrStart(program, false, deadline),
                                failures.other()));
        return failures;
    }

    private static void attempt(Runnable start, List<FailureCause> failures) {
        try {
            start.run();
        } catch (ActionFailed | PathRefused | DiskFailure e) {
            failures.add(FailureCause.of(e));
        }
    }

    /** The latest attempt that may have changed the program, if it is a failure to be cleared. */
    private @Nullable Journal findUnclearedFailure(ProgramProfile program, long clearedThrough) {
        return journals.loadAllLatestFirst().stream()
                .filter(it -> it.assignment().work().programName().equals(program.name()))
                .filter(Journal::mayHaveChangedProgram)
                .findFirst()
                .filter(it -> PastAttempt.of(it).needsClear(clearedThrough))
                .orElse(null);
    }

    /** An attempt stops a program; if its restore failed, the program is not desired anymore. */
    private static boolean wantedBefore(Journal failed) {
        return failed.before() instanceof PreUpgradeState.Recorded before && before.wanted();
    }

    private void requireStableOrStart(ProgramProfile program, boolean wanted, Deadline deadline) {
        BinaryName name = program.spec().name();
        runtime.allowStarts(name);
        while (runtime.status(name) instanceof ProgramState.Up up) {
            if (up.upFor().compareTo(STABLE_UPTIME) >= 0) {
                return;
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        name + " did not settle in time: look at what slows the node, then retry.");
            }
            ticker.pause(POLL);
        }
        if (wanted || runtime.status(name).desired()) {
            start(program, deadline);
        }
    }

    /** Stops it first: supervision may have started it in the meantime. */
    private void start(ProgramProfile program, Deadline deadline) {
        BinaryName name = program.spec().name();
        String installed = runtime.installedDigest(program.spec());
        Digest digest = installed.isEmpty() ? Digest.of("") : new Digest(installed);
        Digest configDigest = inspector.readConfigDigest(program);
        try {
            runtime.stop(name, program.spec().launch().stop(), deadline);
            Compensation.startOrSupervise(runtime, program, digest, configDigest, deadline);
        } finally {
            runtime.allowStarts(name);
        }
    }
}
