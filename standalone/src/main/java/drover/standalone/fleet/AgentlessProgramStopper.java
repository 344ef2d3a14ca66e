package drover.standalone.fleet;

import drover.localenv.Await;
import drover.localenv.NodeDirectory;
import drover.model.program.StopSignal;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.runtime.process.ProcessTreeCommandRunner;
import drover.opsagent.time.SystemTicker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stops programs of nodes whose agents have ended. Programs outlive their agents on purpose. The
 * next agent starts them again, because their records stay as they are.
 */
public final class AgentlessProgramStopper {
    /** Marks every process of a run; see {@code drover.opsagent.runtime.Processes}. */
    private static final String MARKER = "DROVER_RUN=";

    private static final Duration KILL_WAIT = Duration.ofSeconds(10);

    /** Time after which a person wants to know what is waited for. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    private static final LinuxProcesses PROCESSES = new LinuxProcesses(new SystemTicker());

    private final long start = System.nanoTime();
    private final Map<RecordedProgramRun, List<ProcessHandle>> running;
    private final Consumer<String> progress;

    private AgentlessProgramStopper(
            Map<RecordedProgramRun, List<ProcessHandle>> running, Consumer<String> progress) {
        this.running = running;
        this.progress = progress;
    }

    /** The nodes that no external agent supervises. */
    public static List<NodeDirectory> withoutExternalAgents(List<NodeDirectory> nodes) {
        return nodes.stream().filter(node -> !node.hasExternalAgent()).toList();
    }

    /** The processes of the programs of these nodes. */
    public static List<ProcessHandle> processesOf(List<NodeDirectory> nodes) {
        return processesByRun(readRuns(nodes)).values().stream().flatMap(List::stream).toList();
    }

    /** Runs that have processes, for {@link #stopAllButExternal}. */
    public static Set<RecordedProgramRun> listActiveRuns(List<NodeDirectory> nodes) {
        return processesByRun(readRuns(nodes)).keySet();
    }

    /** Longest time that a stop of all programs of these nodes takes. */
    public static Duration longestStop(List<NodeDirectory> nodes) {
        return readRuns(nodes).stream()
                .map(run -> run.stop().timeoutOrDefault())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO)
                .plus(KILL_WAIT);
    }

    /** Stops all programs of these nodes: see {@link #stopAllButExternal(List, Set, Consumer)}. */
    public static int stopAllButExternal(List<NodeDirectory> all, Consumer<String> progress) {
        return stopAllButExternal(all, Set.of(), progress);
    }

    /**
     * Stops the programs of these nodes at the same time, each with its own signal and timeout, and
     * kills what is left then. Also kills what the probes of a killed agent left. Programs with an
     * external agent are not stopped: that agent would start them again. Called when this process
     * has no agents any more.
     *
     * @param kept runs that are left running
     * @param progress receives a sentence for each program that does not end soon
     * @return how many processes of programs were ended
     */
    public static int stopAllButExternal(
            List<NodeDirectory> all, Set<RecordedProgramRun> kept, Consumer<String> progress) {
        Set<RecordedProgramRun> runs = readRuns(withoutExternalAgents(all));
        runs.removeAll(kept);
        Map<RecordedProgramRun, List<ProcessHandle>> running = processesByRun(runs);
        new AgentlessProgramStopper(running, progress).stopAll();
        stopProbes();
        return running.values().stream().mapToInt(List::size).sum();
    }

    /** Kills what the probes of a killed agent left. */
    public static void stopProbes() {
        new ProcessTreeCommandRunner().killLeftovers();
    }

    /** For example {@code 2 processes of the nodes' programs}. */
    public static String describe(int processes) {
        return processes + (processes == 1 ? " process" : " processes") + " of the nodes' programs";
    }

    private void stopAll() {
        running.forEach(AgentlessProgramStopper::sendStopSignal);
        if (!Await.until(
                QUIET,
                () -> running.values().stream().noneMatch(AgentlessProgramStopper::isAnyAlive))) {
            running.forEach(this::reportWait);
        }
        running.keySet().stream()
                .sorted(Comparator.comparing(run -> run.stop().timeoutOrDefault()))
                .forEach(this::awaitOrKill);
        // Processes that a program started after the signal.
        killAndAwait(processesByRun(running.keySet()).values().stream().flatMap(List::stream));
    }

    private static void sendStopSignal(RecordedProgramRun run, List<ProcessHandle> processes) {
        StopSignal signal = run.stop().signalOrDefault();
        processes.forEach(it -> PROCESSES.terminate(PROCESSES.identify(it.pid()), signal));
    }

    private void reportWait(RecordedProgramRun run, List<ProcessHandle> processes) {
        if (isAnyAlive(processes)) {
            progress.accept(
                    "Waiting for %s of node %s, which has %s to end after %s."
                            .formatted(run.program(), run.node(), limit(run), signal(run)));
        }
    }

    /** The limit counts from the signal, which all programs got at the same time. */
    private void awaitOrKill(RecordedProgramRun run) {
        List<ProcessHandle> processes = running.getOrDefault(run, List.of());
        Duration waited = Duration.ofNanos(System.nanoTime() - start);
        Duration left = run.stop().timeoutOrDefault().minus(waited);
        if (!Await.until(left, () -> !isAnyAlive(processes))) {
            progress.accept(
                    "%s of node %s did not end within %s of %s: it is killed."
                            .formatted(run.program(), run.node(), limit(run), signal(run)));
        }
        // A run without a marker is not found again after the end of its first process.
        killAndAwait(processes.stream());
    }

    private static void killAndAwait(Stream<ProcessHandle> processes) {
        List<ProcessHandle> left = processes.filter(ProcessHandle::isAlive).toList();
        left.forEach(ProcessHandle::destroyForcibly);
        Await.until(KILL_WAIT, () -> left.stream().noneMatch(ProcessHandle::isAlive));
    }

    private static boolean isAnyAlive(List<ProcessHandle> processes) {
        return processes.stream().anyMatch(ProcessHandle::isAlive);
    }

    private static String limit(RecordedProgramRun run) {
        return run.stop().timeoutOrDefault().toSeconds() + " s";
    }

    private static String signal(RecordedProgramRun run) {
        return run.stop().signalOrDefault().longName();
    }

    private static Set<RecordedProgramRun> readRuns(List<NodeDirectory> nodes) {
        Set<RecordedProgramRun> runs = new HashSet<>();
        nodes.forEach(node -> runs.addAll(RecordedProgramRun.readAll(node)));
        return runs;
    }

    /** The processes of the runs that have any; the processes of the machine are read once. */
    private static Map<RecordedProgramRun, List<ProcessHandle>> processesByRun(
            Set<RecordedProgramRun> runs) {
        Map<String, RecordedProgramRun> marked = new HashMap<>();
        Map<RecordedProgramRun, Set<ProcessHandle>> found = new HashMap<>();
        for (RecordedProgramRun run : runs) {
            if (run.isAdopted()) {
                found.put(run, run.adoptedProcesses().collect(Collectors.toSet()));
            } else {
                marked.put(run.marker(), run);
            }
        }
        if (!marked.isEmpty()) {
            ProcessHandle.allProcesses()
                    .forEach(
                            process ->
                                    markersOf(process.pid())
                                            .map(marked::get)
                                            .filter(Objects::nonNull)
                                            .forEach(
                                                    run ->
                                                            found.computeIfAbsent(
                                                                            run,
                                                                            _ -> new HashSet<>())
                                                                    .add(process)));
        }
        return found.entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .collect(
                        Collectors.toMap(
                                Map.Entry::getKey, entry -> List.copyOf(entry.getValue())));
    }

    private static Stream<String> markersOf(long process) {
        return Stream.ofNullable(environment(process))
                .flatMap(Arrays::stream)
                .filter(entry -> entry.startsWith(MARKER))
                .map(entry -> entry.substring(MARKER.length()))
                .filter(marker -> !marker.isEmpty());
    }

    /** Null when it has just ended or belongs to somebody else. */
    private static String @Nullable [] environment(long pid) {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc", Objects.toString(pid), "environ"));
            return new String(bytes, StandardCharsets.UTF_8).split("\0", -1);
        } catch (IOException e) {
            return null;
        }
    }
}
