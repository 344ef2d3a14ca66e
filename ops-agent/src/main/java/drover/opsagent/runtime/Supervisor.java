package drover.opsagent.runtime;

import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.LaunchSpec;
import drover.model.ProgramIdentity;
import drover.opsagent.disk.NodeRoot;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs programs as processes that outlive the agent: starts, stops, adopts, and starts again what
 * fell over. One lock; nothing waits while holding it.
 */
final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration TERM_GRACE =
            Duration.ofSeconds(20); // a third of stop_node's 60 s
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(60);
    private static final Duration LOOP_WINDOW = Duration.ofMinutes(5);
    private static final int LOOP_STARTS = 3; // the design's crash loop N

    private final StateDirectory state;
    private final NodeRoot root;
    private final Processes processes;
    private final Ticker ticker;
    private final Duration settle;
    private final Map<String, Program> programs = new HashMap<>();

    private static final class Program {
        @Nullable RunRecord run;
        boolean busy; // the executor is at it: supervision keeps away
        String provedRun = "";
        @Nullable Digest proved;
        final Deque<Long> restarts = new ArrayDeque<>(); // at most LOOP_STARTS + 1 kept
        long notBefore;
    }

    Supervisor(
            StateDirectory state,
            NodeRoot root,
            Processes processes,
            Ticker ticker,
            Duration settle) {
        this.state = state;
        this.root = root;
        this.processes = processes;
        this.ticker = ticker;
        this.settle = settle;
    }

    /** Finds the run that an earlier agent left, by its process or by its marker. */
    synchronized void adopt(BinaryName name) {
        Program program = program(name);
        Path file = runFile(name);
        if (!state.exists(file)) {
            return;
        }
        RunRecord run = state.load(file, RunRecord.class);
        boolean known = run.bootId().equals(processes.bootId()) && processes.isAlive(run.first());
        if (!known && !run.marker().isEmpty()) {
            List<Pid> found = processes.members(run.marker(), Pid.NONE);
            if (!found.isEmpty()) {
                run = run.startedAs(eldest(found), processes.bootId());
                state.save(file, run);
            }
        }
        program.run = run;
    }

    synchronized ProgramState state(BinaryName name) {
        Program program = program(name);
        RunRecord run = program.run;
        if (run == null) {
            return new ProgramState.Down(false, 0);
        }
        if (!isUp(run)) {
            return new ProgramState.Down(run.wanted(), run.startsSince());
        }
        try {
            return new ProgramState.Up(
                    runId(run),
                    proved(program, run),
                    run.configDigest(),
                    processes.upFor(run.first()),
                    run.startsSince());
        } catch (Processes.Gone e) {
            return new ProgramState.Down(run.wanted(), run.startsSince());
        }
    }

    /** Starts a program that does not run and waits until it has stayed up. */
    void start(
            BinaryName name,
            LaunchSpec launch,
            Digest digest,
            Digest configDigest,
            Deadline deadline) {
        begin(name);
        try {
            RunRecord run =
                    new RunRecord(
                            true,
                            state.files().unpredictableName(),
                            Pid.NONE,
                            "",
                            digest,
                            configDigest,
                            launch,
                            0);
            spawn(name, run);
            awaitSettled(name, deadline);
        } catch (Processes.SpawnFailed e) {
            keep(name, current(name).unwanted());
            throw new ActionFailed(
                    ReasonCode.START_FAILED, name + " cannot be started: " + e.getMessage());
        } finally {
            end(name);
        }
    }

    /** Notes that a program is to run; supervision starts it. */
    void want(BinaryName name, LaunchSpec launch, Digest digest, Digest configDigest) {
        // -1: the start that follows is the first one on purpose, not one by supervision.
        keep(name, new RunRecord(true, "", Pid.NONE, "", digest, configDigest, launch, -1));
    }

    private void awaitSettled(BinaryName name, Deadline deadline) {
        Deadline settled = ticker.in(settle);
        while (!settled.hasPassed()) {
            if (!isUp(name)) {
                keep(name, current(name).unwanted());
                throw new ActionFailed(
                        ReasonCode.START_FAILED,
                        name
                                + " ended within "
                                + settle.toMillis() / 1000.0
                                + " s of its start: read its log.");
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT, name + " did not settle in time.");
            }
            ticker.pause(POLL);
        }
        LOG.info("Program started program={} runId={}", name, runId(current(name)));
    }

    /** Stops the program; comes back only when none of its processes is left. */
    void stop(BinaryName name, Deadline deadline) {
        RunRecord run = program(name).run;
        if (run == null) {
            return;
        }
        begin(name);
        try {
            if (run.wanted()) {
                keep(name, run.unwanted());
            }
            endAll(name, run, deadline);
        } finally {
            end(name);
        }
    }

    private void endAll(BinaryName name, RunRecord run, Deadline deadline) {
        Deadline grace = deadline.atMost(TERM_GRACE);
        boolean asked = false;
        for (List<Pid> left = left(run); !left.isEmpty(); left = left(run)) {
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.STOP_FAILED,
                        left.size() + " processes of " + name + " do not end: end them by hand.");
            }
            if (!asked) {
                left.forEach(processes::terminate);
                asked = true;
            } else if (grace.hasPassed()) {
                left.forEach(processes::kill);
            }
            ticker.pause(POLL);
        }
    }

    private List<Pid> left(RunRecord run) {
        Pid first = run.bootId().equals(processes.bootId()) ? run.first() : Pid.NONE;
        List<Pid> left = new ArrayList<>(processes.members(run.marker(), first));
        if (isUp(run) && !left.contains(first)) {
            left.add(first);
        }
        return left;
    }

    /** Starts again what is meant to run and does not, at growing intervals. */
    void supervise(BinaryName name) {
        RunRecord fallen = fallen(name);
        if (fallen == null) {
            return;
        }
        begin(name);
        try {
            RunRecord run = fallen.again(state.files().unpredictableName());
            // What its first process left behind would be a second copy.
            left(fallen).forEach(processes::kill);
            LOG.info(
                    "Program fell and is started again program={} starts={}",
                    name,
                    run.startsSince());
            spawn(name, run);
        } catch (Processes.SpawnFailed e) {
            LOG.warn("Program cannot be started program={} reason={}", name, e.getMessage());
        } finally {
            end(name);
        }
    }

    private synchronized @Nullable RunRecord fallen(BinaryName name) {
        Program program = program(name);
        RunRecord run = program.run;
        boolean due = ticker.nanos() - program.notBefore >= 0;
        if (run == null || program.busy || !run.wanted() || !due || isUp(run)) {
            return null;
        }
        program.restarts.addLast(ticker.nanos());
        if (program.restarts.size() > LOOP_STARTS) {
            program.restarts.removeFirst();
        }
        int doublings = Math.min(6, recentStarts(program));
        Duration backoff = Duration.ofMillis(500L << doublings);
        Duration wait = backoff.compareTo(LONGEST_BACKOFF) < 0 ? backoff : LONGEST_BACKOFF;
        program.notBefore = ticker.nanos() + wait.toNanos();
        return run;
    }

    synchronized boolean isCrashLooping(BinaryName name) {
        return recentStarts(program(name)) >= LOOP_STARTS;
    }

    private int recentStarts(Program program) {
        long since = ticker.nanos() - LOOP_WINDOW.toNanos();
        return (int) program.restarts.stream().filter(at -> at - since >= 0).count();
    }

    private void spawn(BinaryName name, RunRecord run) {
        keep(name, run);
        Path file = root.resolve(run.launch().path());
        Processes.Order order =
                LaunchLine.order(run, file, root.directory(), state.run(name.value()));
        Pid pid = processes.spawn(order);
        keep(name, run.startedAs(pid, processes.bootId()));
    }

    /** The digest of what runs, read from the process itself unless the file is the proof (D5). */
    private Digest proved(Program program, RunRecord run) {
        if (run.launch().identity() == ProgramIdentity.FILE) {
            return run.digest();
        }
        String id = runId(run);
        Digest proved = program.proved;
        if (proved == null || !program.provedRun.equals(id)) {
            proved = processes.executable(run.first());
            program.proved = proved;
            program.provedRun = id;
        }
        return proved;
    }

    private static Pid eldest(List<Pid> found) {
        Pid eldest = found.getFirst();
        for (Pid pid : found) {
            eldest = pid.startTicks() < eldest.startTicks() ? pid : eldest;
        }
        return eldest;
    }

    private synchronized void begin(BinaryName name) {
        program(name).busy = true;
    }

    private synchronized void end(BinaryName name) {
        program(name).busy = false;
    }

    private synchronized void keep(BinaryName name, RunRecord run) {
        state.save(runFile(name), run);
        program(name).run = run;
    }

    private synchronized RunRecord current(BinaryName name) {
        RunRecord run = program(name).run;
        if (run == null) {
            throw new IllegalStateException(name + " was never started");
        }
        return run;
    }

    private boolean isUp(BinaryName name) {
        return isUp(current(name));
    }

    private boolean isUp(RunRecord run) {
        return run.bootId().equals(processes.bootId()) && processes.isAlive(run.first());
    }

    private static String runId(RunRecord run) {
        return run.bootId() + ":" + run.first().number() + ":" + run.first().startTicks();
    }

    private synchronized Program program(BinaryName name) {
        return programs.computeIfAbsent(name.value(), _ -> new Program());
    }

    private Path runFile(BinaryName name) {
        return state.run(name.value()).resolve("run.json");
    }
}
