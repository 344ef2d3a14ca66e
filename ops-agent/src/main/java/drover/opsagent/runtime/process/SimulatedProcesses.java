package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.program.StopSignal;
import drover.opsagent.disk.Disk;
import drover.opsagent.runtime.Processes;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Processes without an operating system. They live apart from the agent: an agent that is gone
 * leaves them running, a reboot ends them. What a program does is scripted by its digest.
 */
public final class SimulatedProcesses implements Processes {
    private boolean inspectable = true;
    private final Disk disk;
    private final Ticker ticker;
    private final Function<Digest, ProgramBehavior> behaviours;
    private final Map<Long, RunningProcess> running = new TreeMap<>();
    private final Map<Long, String> becoming = new TreeMap<>();
    private final List<Consumer<LaunchRequest>> observers = new ArrayList<>();
    private Runnable beforeEachEffect = () -> {};
    private long boot = 1;
    private long pids;

    /** What a program does. */
    public enum ProgramBehavior {
        /** Runs until it is asked to end. */
        RUNS,
        /** Ends as soon as it is started. */
        FALLS,
        /** Cannot even be started. */
        CANNOT_START,
        /** Runs, and ends only when it is killed. */
        IGNORES_TERMINATION,
        /** Runs, and does not end at all. */
        HANGS
    }

    private record RunningProcess(
            Pid pid, LaunchRequest order, Digest executable, long sinceNanos) {}

    /** A machine on which nothing runs. */
    public SimulatedProcesses(
            Disk disk, Ticker ticker, Function<Digest, ProgramBehavior> behaviours) {
        this.disk = disk;
        this.ticker = ticker;
        this.behaviours = behaviours;
    }

    /** Runs this before each start and end: a place to crash. */
    public synchronized void setBeforeStartOrEndHook(Runnable hook) {
        beforeEachEffect = hook;
    }

    /** Tells of each start, at the moment it happens. */
    public synchronized void addStartObserver(Consumer<LaunchRequest> observer) {
        observers.add(observer);
    }

    /** The same processes over another disk. */
    public synchronized SimulatedProcesses snapshot(Disk other) {
        SimulatedProcesses copy = new SimulatedProcesses(other, ticker, behaviours);
        copy.running.putAll(running);
        copy.boot = boot;
        copy.pids = pids;
        return copy;
    }

    /** The machine loses power and comes back. */
    public synchronized void reboot() {
        running.clear();
        boot++;
    }

    /** One process ends by itself. */
    public synchronized void crash(Pid pid) {
        running.remove(pid.number());
    }

    /** One process ends and leaves a child, which executes the same program. */
    public synchronized void crashLeavingChild(Pid pid) {
        RunningProcess parent = requireInspectable(pid);
        running.remove(pid.number());
        Pid child = new Pid(++pids, pids);
        running.put(
                child.number(),
                new RunningProcess(child, parent.order(), parent.executable(), ticker.nanos()));
    }

    /**
     * A process is still another program, with this name, until it becomes what it was started as.
     */
    public synchronized void pretendExecutable(Pid pid, String program) {
        becoming.put(pid.number(), program);
    }

    /** From now on the agent may not read what a process executes. */
    public synchronized void denyInspection() {
        inspectable = false;
    }

    /** Every process has become what it was started as. */
    public synchronized void clearPretendedExecutables() {
        becoming.clear();
    }

    /** Every process there is, with the digest of what it runs. */
    public synchronized Map<Pid, Digest> allProcesses() {
        Map<Pid, Digest> all = new HashMap<>();
        running.values().forEach(one -> all.put(one.pid(), one.executable()));
        return all;
    }

    @Override
    public OptionalInt exitCode(Pid pid) {
        return OptionalInt.empty();
    }

    @Override
    public boolean trimLogAndDetectDeletion(Path log, Pid first) {
        return false; // simulated programs write nothing
    }

    @Override
    public synchronized String bootId() {
        return "boot-" + boot;
    }

    @Override
    public synchronized Pid spawn(LaunchRequest order) {
        beforeEachEffect.run();
        Digest executable = disk.digest(order.program());
        ProgramBehavior behaviour = behaviours.apply(executable);
        if (behaviour == ProgramBehavior.CANNOT_START) {
            throw new SpawnFailed(
                    "Exec format error", new IllegalStateException(executable.shortHex()));
        }
        observers.forEach(observer -> observer.accept(order));
        Pid pid = new Pid(++pids, pids);
        if (behaviour != ProgramBehavior.FALLS) {
            running.put(pid.number(), new RunningProcess(pid, order, executable, ticker.nanos()));
        }
        return pid;
    }

    @Override
    public synchronized boolean isAlive(Pid pid) {
        RunningProcess found = running.get(pid.number());
        return found != null && found.pid().equals(pid);
    }

    @Override
    public synchronized Pid identify(long number) {
        RunningProcess found = running.get(number);
        return found == null ? Pid.NONE : found.pid();
    }

    @Override
    public synchronized List<Pid> findRunProcesses(String marker, Pid first) {
        return running.values().stream()
                .filter(one -> one.order().marker().equals(marker))
                .map(RunningProcess::pid)
                .toList();
    }

    @Override
    public synchronized List<ObservedProcess> listInspectable() {
        return running.values().stream()
                .map(
                        one ->
                                new ObservedProcess(
                                        one.pid(),
                                        true,
                                        executablePath(one.pid()),
                                        one.order().command(),
                                        one.order().environment(),
                                        System.getProperty("user.name", "")))
                .toList();
    }

    @Override
    public synchronized void terminate(Pid pid, StopSignal signal) {
        beforeEachEffect.run();
        RunningProcess found = running.get(pid.number());
        if (found != null && behaviours.apply(found.executable()) == ProgramBehavior.RUNS) {
            running.remove(pid.number());
        }
    }

    @Override
    public synchronized void kill(Pid pid) {
        beforeEachEffect.run();
        RunningProcess found = running.get(pid.number());
        if (found != null && behaviours.apply(found.executable()) != ProgramBehavior.HANGS) {
            running.remove(pid.number());
        }
    }

    @Override
    public synchronized Digest executableDigest(Pid pid) {
        RunningProcess found = requireInspectable(pid);
        String other = becoming.get(pid.number());
        return other != null ? Digest.of(other) : found.executable();
    }

    @Override
    public synchronized String executablePath(Pid pid) {
        RunningProcess found = requireInspectable(pid);
        String became = becoming.get(pid.number());
        return became != null ? became : found.order().program().toString();
    }

    private RunningProcess requireInspectable(Pid pid) {
        RunningProcess found = running.get(pid.number());
        if (found == null) {
            throw new ExitedBeforeInspection(pid);
        }
        if (!inspectable) {
            throw new NotInspectable(pid);
        }
        return found;
    }

    @Override
    public synchronized Duration upFor(Pid pid) {
        RunningProcess found = running.get(pid.number());
        return found == null
                ? Duration.ZERO
                : Duration.ofNanos(ticker.nanos() - found.sinceNanos());
    }
}
