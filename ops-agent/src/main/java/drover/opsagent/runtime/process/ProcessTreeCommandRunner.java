package drover.opsagent.runtime.process;

import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.ObservedProcess;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands that end within a timeout, each in a separate session. Every process that a command
 * started is killed when the command ends or the timeout passes: also a child in the background, in
 * another session, or without the marker in its environment. The exception is a process that left
 * the session, cleared its environment, and whose parent ended before the command (decision 0134).
 */
public final class ProcessTreeCommandRunner {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTreeCommandRunner.class);
    private static final String PREFIX = "probe"; // no name of a program's run starts with it
    private static final Path PID_NAMESPACE = Path.of("/proc/self/ns/pid");
    private static final Path NEUTRAL = Path.of("/"); // readable for each user

    /** Killed processes end at once, unless they wait for a disk. */
    private static final Duration KILL_WAIT = Duration.ofSeconds(5);

    private static final AtomicLong RUNS = new AtomicLong();

    private final Ticker ticker = new SystemTicker();
    private final LinuxProcesses processes = new LinuxProcesses(ticker);
    private final ProcessesOfRun runs = new ProcessesOfRun(processes, ticker);
    private final AtomicBoolean checkedForLeftovers = new AtomicBoolean();
    private final Map<String, Pid> running = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * End of a command.
     *
     * @param exitCode empty if the command did not end within the timeout
     * @param output what it wrote to its standard output, up to the limit
     * @param exceedsLimit whether it wrote more
     */
    @SuppressWarnings("ArrayRecordComponent") // decoded by the caller, never compared
    public record CommandResult(OptionalInt exitCode, byte[] output, boolean exceedsLimit) {}

    /**
     * Runs a command without input; its output is discarded.
     *
     * @param environment in addition to what every program gets
     * @return its exit code; empty if it did not end within the timeout
     * @throws IOException if it cannot be started
     */
    public OptionalInt run(List<String> command, Map<String, String> environment, Duration timeout)
            throws IOException, InterruptedException {
        String marker = nextMarker();
        ProcessBuilder builder = processes.newBuilder(command, NEUTRAL, environment, marker);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        return awaitAndKillAll(process, marker, timeout);
    }

    /**
     * Runs a command without input and reads its standard output; its error output is discarded.
     *
     * @param environment in addition to what every program gets
     * @param limit of the output in bytes; a command that writes more gets a broken pipe
     * @throws IOException if it cannot be started
     */
    public CommandResult runAndRead(
            List<String> command, Map<String, String> environment, Duration timeout, int limit)
            throws IOException, InterruptedException {
        String marker = nextMarker();
        ProcessBuilder builder = processes.newBuilder(command, NEUTRAL, environment, marker);
        builder.redirectErrorStream(false);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        OutputHeadReader output =
                OutputHeadReader.readInBackground(process.getInputStream(), limit);
        OptionalInt exitCode = awaitAndKillAll(process, marker, timeout);
        byte[] read = output.await(KILL_WAIT);
        return new CommandResult(
                exitCode,
                read.length > limit ? Arrays.copyOf(read, limit) : read,
                read.length > limit);
    }

    private String nextMarker() {
        if (checkedForLeftovers.compareAndSet(false, true)) {
            killLeftovers();
        }
        return markerPrefix(processes.identify(ProcessHandle.current().pid())) + nextRunNumber();
    }

    private OptionalInt awaitAndKillAll(Process process, String marker, Duration timeout)
            throws InterruptedException {
        Pid identified = processes.identify(process.pid());
        Pid first = identified.equals(Pid.NONE) ? new Pid(process.pid(), 0) : identified;
        running.put(marker, first);
        try {
            return !closed && process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)
                    ? OptionalInt.of(process.exitValue())
                    : OptionalInt.empty();
        } finally {
            killAll(marker, first);
            running.remove(marker);
        }
    }

    /**
     * Kills the processes of all commands that run now, and of each later one at its start: they
     * are in separate sessions, so that neither Ctrl-C nor the end of this JVM reaches them.
     */
    public void close() {
        closed = true;
        running.forEach(this::killAll);
    }

    private static String nextRunNumber() {
        return Long.toString(RUNS.incrementAndGet());
    }

    /** Kills what a run left, also while the agent is being closed. */
    private void killAll(String marker, Pid first) {
        boolean interrupted = Thread.interrupted(); // or no wait would be possible
        try {
            int left =
                    runs.killAndCountRemaining(
                            () -> processes.findRunProcessesAtEnd(marker, first),
                            ticker.deadlineIn(KILL_WAIT));
            if (left > 0) {
                LOG.warn("Processes of a command do not end processes={}", left);
            }
        } catch (AgentStopping e) {
            killAll(marker, first); // the agent is being closed meanwhile
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Kills the processes of runs whose agent was killed and could not kill them. */
    public void killLeftovers() {
        processes.listInspectable().stream()
                .filter(this::isLeftover)
                .map(ObservedProcess::pid)
                .forEach(processes::kill);
    }

    private boolean isLeftover(ObservedProcess process) {
        String marker = process.environment().getOrDefault(Processes.MARKER, "");
        String[] parts = marker.split("-", -1);
        if (parts.length != 5 || !parts[2].matches("[0-9]{1,9}")) {
            return false;
        }
        Pid agent = processes.identify(Long.parseLong(parts[2]));
        return marker.startsWith(PREFIX + "-" + pidNamespace() + "-")
                && !marker.startsWith(markerPrefix(agent));
    }

    /** Names an agent's process: a number alone is given to another process one day. */
    private static String markerPrefix(Pid agent) {
        return String.join(
                "-",
                PREFIX,
                pidNamespace(),
                Long.toString(agent.number()),
                Long.toString(agent.startTicks()),
                "");
    }

    /** The numbers of another container's processes mean nothing here. */
    private static String pidNamespace() {
        try {
            return Files.readSymbolicLink(PID_NAMESPACE).toString().replaceAll("[^0-9]", "");
        } catch (IOException e) {
            return "";
        }
    }
}
