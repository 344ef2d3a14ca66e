package drover.standalone.fleet;

import drover.localenv.Await;
import drover.localenv.NodeDirectory;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.runtime.process.ProcessTreeCommandRunner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The programs of nodes whose agents are gone. Programs outlive their agent on purpose; who wants
 * the whole mesh ended ends them here. The next agent starts them again: what it wants of them is
 * left as it is.
 */
public final class AgentlessProgramStopper {
    /** Marks every process of a run; see {@code drover.opsagent.runtime.Processes}. */
    private static final String MARKER = "DROVER_RUN=";

    private static final Duration GRACE = Duration.ofSeconds(10); // then they are killed
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private AgentlessProgramStopper() {}

    /**
     * A run that an agent has on record.
     *
     * @param marker empty for an adopted program, which was started without one
     * @param first process that identifies a run without a marker; {@link Pid#NONE} otherwise
     * @param bootId boot in which that process was recorded; empty otherwise
     */
    public record RecordedRun(String marker, Pid first, String bootId) {
        private boolean isAdopted() {
            return marker.isEmpty();
        }

        private Stream<ProcessHandle> adoptedProcesses() {
            return isAdopted()
                    ? LinuxProcesses.findAdoptedRun(first, bootId).stream()
                            .flatMap(it -> ProcessHandle.of(it.number()).stream())
                    : Stream.empty();
        }
    }

    /** The processes of the programs of these nodes. */
    public static List<ProcessHandle> processesOf(List<NodeDirectory> nodes) {
        return processesOfRuns(readRuns(nodes));
    }

    /** Runs that have processes, for {@link #stopAllButExternal}. */
    public static Set<RecordedRun> listActiveRuns(List<NodeDirectory> nodes) {
        Set<RecordedRun> runs = readRuns(nodes);
        Set<String> running = new HashSet<>();
        if (!runs.isEmpty()) {
            ProcessHandle.allProcesses().forEach(it -> running.addAll(markersOf(it.pid())));
        }
        runs.removeIf(
                run ->
                        run.isAdopted()
                                ? run.adoptedProcesses().findAny().isEmpty()
                                : !running.contains(run.marker()));
        return runs;
    }

    private static List<ProcessHandle> processesOfRuns(Set<RecordedRun> runs) {
        if (runs.isEmpty()) {
            return List.of();
        }
        Set<String> markers = runs.stream().map(RecordedRun::marker).collect(Collectors.toSet());
        Stream<ProcessHandle> marked =
                ProcessHandle.allProcesses()
                        .filter(it -> markersOf(it.pid()).stream().anyMatch(markers::contains));
        return Stream.concat(marked, runs.stream().flatMap(RecordedRun::adoptedProcesses))
                .distinct()
                .toList();
    }

    /** Stops all programs of these nodes: see {@link #stopAllButExternal(List, Set)}. */
    public static int stopAllButExternal(List<NodeDirectory> all) {
        return stopAllButExternal(all, Set.of());
    }

    /**
     * Ends the programs of these nodes: politely, then by force. Also kills what the probes of a
     * killed agent left. A node whose agent lives, as a process of its own, is left to that agent,
     * which would only start the program again. Called when this process has no agents any more.
     *
     * @param kept runs that are left running
     * @return how many processes of programs were ended
     */
    public static int stopAllButExternal(List<NodeDirectory> all, Set<RecordedRun> kept) {
        List<NodeDirectory> nodes = all.stream().filter(it -> !it.hasExternalAgent()).toList();
        Set<RecordedRun> runs = readRuns(nodes);
        runs.removeAll(kept);
        List<ProcessHandle> running = processesOfRuns(runs);
        running.forEach(ProcessHandle::destroy);
        Await.until(GRACE, () -> running.stream().noneMatch(ProcessHandle::isAlive));
        // A run without a marker is not found again after the end of its first process.
        List<ProcessHandle> left =
                Stream.concat(running.stream(), processesOfRuns(runs).stream()).distinct().toList();
        left.forEach(ProcessHandle::destroyForcibly);
        Await.until(GRACE, () -> left.stream().noneMatch(ProcessHandle::isAlive));
        stopProbes();
        return running.size();
    }

    /** Kills what the probes of a killed agent left. */
    public static void stopProbes() {
        new ProcessTreeCommandRunner().killLeftovers();
    }

    /** For example {@code 2 processes of the nodes' programs}. */
    public static String describe(int processes) {
        return processes + (processes == 1 ? " process" : " processes") + " of the nodes' programs";
    }

    private static Set<RecordedRun> readRuns(List<NodeDirectory> nodes) {
        Set<RecordedRun> runs = new HashSet<>();
        nodes.forEach(node -> runs.addAll(readRuns(node)));
        return runs;
    }

    /** The runs that a node's agent has on record, one file for each program. */
    private static Set<RecordedRun> readRuns(NodeDirectory node) {
        Path directory = node.state().resolve("run");
        if (!Files.isDirectory(directory)) {
            return Set.of();
        }
        Set<RecordedRun> runs = new HashSet<>();
        try (Stream<Path> programs = Files.list(directory)) {
            for (Path program : programs.toList()) {
                Path record = program.resolve("run.json");
                if (Files.exists(record)) {
                    toRun(JSON.readTree(Files.readString(record))).ifPresent(runs::add);
                }
            }
        } catch (IOException | JacksonException e) {
            // A record that cannot be read names no run; the agent itself reports it.
            return runs;
        }
        return runs;
    }

    private static Optional<RecordedRun> toRun(JsonNode record) {
        String marker = record.path("marker").asString("");
        if (!marker.isEmpty()) {
            return Optional.of(new RecordedRun(marker, Pid.NONE, ""));
        }
        JsonNode first = record.path("first");
        Pid process = new Pid(first.path("number").asLong(0), first.path("startTicks").asLong(0));
        return process.number() > 0
                ? Optional.of(new RecordedRun("", process, record.path("bootId").asString("")))
                : Optional.empty();
    }

    private static Set<String> markersOf(long process) {
        return Stream.ofNullable(environment(process))
                .flatMap(Arrays::stream)
                .filter(entry -> entry.startsWith(MARKER))
                .map(entry -> entry.substring(MARKER.length()))
                .filter(marker -> !marker.isEmpty())
                .collect(Collectors.toSet());
    }

    /** Null when it has just ended or belongs to somebody else. */
    private static String @org.jspecify.annotations.Nullable [] environment(long pid) {
        try {
            byte[] bytes = Files.readAllBytes(Path.of("/proc", Objects.toString(pid), "environ"));
            return new String(bytes, StandardCharsets.UTF_8).split("\0");
        } catch (IOException e) {
            return null;
        }
    }
}
