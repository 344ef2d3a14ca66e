package drover.opsagent.engine;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.journal.Journal;
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

/**
 * Start of the programs of a node that an operator clears. A program that was stopped on purpose
 * stays down.
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
     * Starts each program that is down, and waits until it has stayed up. Supervision continues
     * with a program that does not.
     *
     * @return why programs do not run, one sentence for each; empty if all run
     */
    List<String> startAll(List<ProgramProfile> programs, Duration timeout) {
        Deadline deadline = ticker.deadlineIn(timeout);
        List<String> failures = new ArrayList<>();
        for (ProgramProfile program : programs) {
            try {
                requireStableOrStart(program, deadline);
            } catch (ActionFailed | PathRefused | DiskFailure e) {
                failures.add(FailureCause.of(e).detail());
            }
        }
        return failures;
    }

    private void requireStableOrStart(ProgramProfile program, Deadline deadline) {
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
        if (runtime.status(name).desired() || ranBeforeFailedRestore(program)) {
            start(program, deadline);
        }
    }

    /** An attempt stops a program; if its restore failed, the program is not desired anymore. */
    private boolean ranBeforeFailedRestore(ProgramProfile program) {
        return journals.loadAllLatestFirst().stream()
                .filter(it -> it.assignment().work().programName().equals(program.name()))
                .findFirst()
                .filter(it -> it.ending().outcome() == AttemptOutcome.FAILED_ROLLBACK)
                .map(Journal::before)
                .filter(
                        before ->
                                before instanceof PreUpgradeState.Recorded recorded
                                        && recorded.wanted())
                .isPresent();
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
