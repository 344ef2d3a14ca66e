package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.StopSettings;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.NodeRoot;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ExitDescriber;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs programs as processes that outlive the agent: starts, stops, adopts, and starts again what
 * fell over. Whoever starts or stops a program holds its {@link RunRecordAndLock#lock} meanwhile;
 * looking at it needs no lock.
 */
final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final int LAST_LINE_BYTES = 4 * 1024;
    private static final Duration KILL_WAIT = Duration.ofSeconds(5); // killed ones go at once

    private final StateDirectory state;
    private final NodeRoot root;
    private final Processes processes;
    private final Ticker ticker;
    private final ProcessesOfRun runs;
    private final Duration settle;
    private final Map<String, RunRecordAndLock> programs = new ConcurrentHashMap<>();

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
        this.runs = new ProcessesOfRun(processes, ticker);
        this.settle = settle;
    }

    /** Finds the run that an earlier agent left, by its process or by its marker. */
    void adopt(BinaryName name) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            RunRecord run = program.loadRecord();
            // Only a start that was not recorded is looked for: when the first process is known and
            // gone, what it left behind is no program but what supervision has to end.
            if (run != null && run.first().equals(Pid.NONE) && !run.marker().isEmpty()) {
                List<Pid> found = processes.findRunProcesses(run.marker(), Pid.NONE);
                if (!found.isEmpty()) {
                    program.save(run.withProcess(eldest(found), processes.bootId()));
                }
            }
        } finally {
            program.lock.unlock();
        }
    }

    /** Whether it was ever started or taken over. */
    boolean hasRunRecord(BinaryName name) {
        return getOrCreateProgram(name).runRecord() != null;
    }

    /** Cares from here on for a process that somebody else started. */
    void adoptProcess(BinaryName name, LaunchSpec launch, Pid first, Digest digest, Digest config) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            // Without a marker: its session tells what belongs to it.
            RunRecord found = RunRecord.ofPendingStart("", digest, config, launch, 0);
            program.save(found.withProcess(first, processes.bootId()));
            LOG.info("Program taken over program={} pid={}", name, first.number());
        } finally {
            program.lock.unlock();
        }
    }

    private static Pid eldest(List<Pid> found) {
        return found.stream()
                .min(Comparator.comparingLong(Pid::startTicks).thenComparingLong(Pid::number))
                .orElseThrow();
    }

    ProgramState state(BinaryName name) {
        RunRecordAndLock program = getOrCreateProgram(name);
        RunRecord run = program.runRecord();
        if (run == null) {
            return new ProgramState.Down(false, 0);
        }
        if (!runs.isUp(run)) {
            return new ProgramState.Down(run.desired(), run.startsSince());
        }
        try {
            return new ProgramState.Up(
                    run.runId(),
                    runningDigest(program, run),
                    run.configDigest(),
                    processes.upFor(run.first()),
                    run.startsSince());
        } catch (Processes.ExitedBeforeInspection e) {
            return new ProgramState.Down(run.desired(), run.startsSince());
        }
    }

    private @Nullable Digest runningDigest(RunRecordAndLock program, RunRecord run) {
        try {
            return program.runningDigest(run, processes);
        } catch (Processes.NotInspectable e) {
            LOG.debug("Process cannot be inspected reason={}", e.getMessage());
            return null;
        }
    }

    /** Starts a program that does not run and waits until it has stayed up. */
    void start(
            BinaryName name,
            LaunchSpec launch,
            Digest digest,
            Digest configDigest,
            Deadline deadline) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            program.backoff.reset();
            String marker = state.files().randomName();
            spawn(name, program, RunRecord.ofPendingStart(marker, digest, configDigest, launch, 0));
            awaitSettled(name, program, deadline);
        } catch (Processes.SpawnFailed e) {
            program.save(program.requireRunRecord().asNotDesired());
            throw new ActionFailed(
                    ReasonCode.START_FAILED,
                    name + " cannot be started (" + e.getMessage() + "): look at its file.");
        } finally {
            program.lock.unlock();
        }
    }

    /** Notes that a program is to run; supervision starts it. */
    void setDesiredRunning(BinaryName name, LaunchSpec launch, Digest digest, Digest configDigest) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            program.backoff.reset();
            // -1: the start that follows is the first one on purpose, not one by supervision.
            RunRecord next = RunRecord.ofPendingStart("", digest, configDigest, launch, -1);
            RunRecord run = program.runRecord();
            if (run != null && runs.isUp(run)) {
                program.save(run.asDesired()); // what runs has the configuration of its own start
            } else if (run != null && runs.hasProcesses(run)) {
                program.save(next.withProcessesOf(run));
            } else {
                program.save(next);
            }
        } finally {
            program.lock.unlock();
        }
    }

    /** Starts before an attempt must not be taken for a crash loop of that attempt (F1). */
    void resetRestartCounters(BinaryName name) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            RunRecord run = program.runRecord();
            if (run != null && run.startsSince() > 0) {
                program.saveIgnoringDiskFailure(run.withCountersReset());
            }
        } finally {
            program.lock.unlock();
        }
    }

    private void awaitSettled(BinaryName name, RunRecordAndLock program, Deadline deadline) {
        Deadline settled = ticker.deadlineIn(settle);
        RunRecord run = program.requireRunRecord();
        while (!settled.hasPassed()) {
            if (!runs.isUp(run)) {
                program.save(run.asNotDesired());
                throw new ActionFailed(
                        ReasonCode.START_FAILED,
                        name
                                + " ended within "
                                + settle.toMillis() / 1000.0
                                + " s of its start "
                                + describeRunEnd(name, run)
                                + ExitDescriber.ADVICE);
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.ACTION_TIMED_OUT,
                        name + " did not settle in time: look at what slows the node.");
            }
            ticker.pause(POLL);
        }
        LOG.info("Program started program={} runId={}", name, run.runId());
    }

    /**
     * Stops the program; comes back only when none of its processes is left.
     *
     * @return one sentence if it had to be killed; empty otherwise
     */
    String stop(BinaryName name, StopSettings settings, Deadline deadline) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            RunRecord run = program.runRecord();
            if (run == null) {
                return "";
            }
            if (run.desired()) {
                program.save(run.asNotDesired());
            }
            return terminate(name, run, settings, deadline);
        } finally {
            program.lock.unlock();
        }
    }

    private String terminate(
            BinaryName name, RunRecord run, StopSettings settings, Deadline deadline) {
        Deadline grace = deadline.earlierByAtMost(KILL_WAIT).atMost(settings.timeoutOrDefault());
        String ifKilled =
                ExitDescriber.describeKill(
                        name.value(), grace.left(), settings.signalOrDefault().longName());
        StringBuilder killed = new StringBuilder();
        int left =
                runs.terminateAndCountRemaining(
                        run,
                        settings.signalOrDefault(),
                        grace,
                        deadline,
                        count -> {
                            killed.append(ifKilled);
                            LOG.warn(
                                    "Program does not stop and is killed program={} processes={}",
                                    name,
                                    count);
                        });
        if (left > 0) {
            throw new ActionFailed(
                    ReasonCode.STOP_FAILED,
                    left + " processes of " + name + " do not end: end them by hand.");
        }
        return killed.toString();
    }

    /** Marks the present run as desired again after a stop that had no effect. */
    void cancelStop(BinaryName name) {
        RunRecordAndLock program = getOrCreateProgram(name);
        program.lock.lock();
        try {
            RunRecord run = program.requireRunRecord();
            if (!run.desired()) {
                program.save(run.asDesired());
            }
        } finally {
            program.lock.unlock();
        }
    }

    /** Starts again what is meant to run and does not, at growing intervals. */
    void supervise(BinaryName name) {
        RunRecordAndLock program = getOrCreateProgram(name);
        if (!program.lock.tryLock()) {
            return; // the executor is at it
        }
        try {
            trimLogIfLarge(name, program);
            RunRecord fallen = program.runRecord();
            if (fallen != null && fallen.desired() && !runs.isUp(fallen)) {
                if (!fallen.first().equals(Pid.NONE)) {
                    program.backoff.recordCrash(
                            fallen.runId(), ticker.nanos(), () -> describeRunEnd(name, fallen));
                }
                restartIfDue(name, program, fallen);
            }
        } catch (Processes.SpawnFailed e) {
            program.backoff.recordStartFailure(String.valueOf(e.getMessage()));
            LOG.warn("Program cannot be started program={} reason={}", name, e.getMessage());
        } finally {
            program.lock.unlock();
        }
    }

    private void trimLogIfLarge(BinaryName name, RunRecordAndLock program) {
        ProgramOutputReader log = programOutput(name);
        boolean large = log.size() > ProgramLogTrimmer.LARGEST;
        RunRecord run = program.runRecord();
        if (run == null) {
            return;
        }
        boolean deleted = processes.trimLogAndDetectDeletion(log.file(), run.first());
        if (deleted && program.markDeletedLogReported(run)) {
            LOG.warn("A program writes into a deleted log program={} file={}", name, log.file());
        }
        if (large && run.logStart() > 0) {
            program.saveIgnoringDiskFailure(run.withLogStart(0));
        }
    }

    /** How a run ended. A log that cannot be read counts as empty. */
    private String describeRunEnd(BinaryName name, RunRecord run) {
        String output;
        try {
            output = programOutput(name).tail(run.logStart(), Long.MAX_VALUE, LAST_LINE_BYTES);
        } catch (DiskFailure e) {
            output = "";
        }
        return ExitDescriber.describe(processes.exitCode(run.first()), output);
    }

    private void restartIfDue(BinaryName name, RunRecordAndLock program, RunRecord fallen) {
        if (!program.backoff.isDue(ticker.nanos())) {
            return;
        }
        program.backoff.recordStart(ticker.nanos());
        // What its first process left behind would be a second copy.
        int left = runs.killAndCountRemaining(fallen, ticker.deadlineIn(KILL_WAIT));
        if (left > 0) {
            LOG.warn(
                    "Program is not started: processes are left program={} processes={}",
                    name,
                    left);
            return;
        }
        RunRecord run = fallen.withPendingRestart(state.files().randomName());
        logRestart(name, fallen, run);
        spawn(name, program, run);
    }

    private void logRestart(BinaryName name, RunRecord fallen, RunRecord run) {
        if (fallen.first().equals(Pid.NONE)) {
            LOG.info("Program is started program={}", name); // it has not run before
        } else {
            LOG.info(
                    "Program crashed and is restarted program={} starts={} end={}",
                    name,
                    run.startsSince(),
                    describeLastCrash(name));
        }
    }

    boolean isCrashLooping(BinaryName name) {
        return getOrCreateProgram(name).backoff.isCrashLooping(ticker.nanos());
    }

    String describeLastCrash(BinaryName name) {
        return getOrCreateProgram(name).backoff.describeLastCrash(ticker.nanos());
    }

    String describeStartFailure(BinaryName name) {
        return getOrCreateProgram(name).backoff.describeStartFailure();
    }

    private void spawn(BinaryName name, RunRecordAndLock program, RunRecord run) {
        Path file = root.resolveWritable(run.launch().path());
        RunRecord next = run.withLogStart(programOutput(name).nextRunOffset());
        program.save(next);
        if (state.files().disk().kind(file) != Disk.EntryKind.FILE) {
            throw new Processes.SpawnFailed("there is no file " + run.launch().path(), null);
        }
        RunRecord measured = withMeasuredDigest(next, file);
        Processes.LaunchRequest order =
                LaunchCommandBuilder.toLaunchRequest(
                        measured, file, root.directory(), state.runDirectory(name.value()));
        Pid pid = processes.spawn(order);
        program.save(measured.withProcess(pid, processes.bootId()));
    }

    /** Where the file is the proof, it is what is there at this start, not what was installed. */
    private RunRecord withMeasuredDigest(RunRecord run, Path file) {
        return run.launch().identity() == ProgramDigestSource.FILE
                ? run.withDigest(state.files().disk().digest(file))
                : run;
    }

    private RunRecordAndLock getOrCreateProgram(BinaryName name) {
        return programs.computeIfAbsent(name.value(), it -> new RunRecordAndLock(state, it));
    }

    /** End of what the current or last run printed, at most so many bytes. */
    String outputTail(BinaryName name, int bytes) {
        RunRecord run = getOrCreateProgram(name).runRecord();
        return programOutput(name).tail(run == null ? 0 : run.logStart(), Long.MAX_VALUE, bytes);
    }

    /** End of what the latest run printed that crashed. */
    String crashedOutputTail(BinaryName name, int bytes) {
        RunRecord run = getOrCreateProgram(name).runRecord();
        return run == null || run.earlierLogStart() == run.logStart()
                ? outputTail(name, bytes)
                : programOutput(name).tail(run.earlierLogStart(), run.logStart(), bytes);
    }

    private ProgramOutputReader programOutput(BinaryName name) {
        return new ProgramOutputReader(
                state.runDirectory(name.value()).resolve(LaunchCommandBuilder.LOG),
                state.files().disk());
    }
}
