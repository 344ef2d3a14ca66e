package drover.standalone.fleet;

import drover.localenv.Await;
import drover.localenv.NodeDirectory;
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
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
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

    /** The processes of the programs of these nodes. */
    public static List<ProcessHandle> processesOf(List<NodeDirectory> nodes) {
        return processesOfRuns(readRunMarkers(nodes));
    }

    /** Markers of the runs that have processes, for {@link #stopAllButExternal}. */
    public static Set<String> runningMarkers(List<NodeDirectory> nodes) {
        Set<String> running = new HashSet<>();
        Set<String> recorded = readRunMarkers(nodes);
        if (!recorded.isEmpty()) {
            ProcessHandle.allProcesses().forEach(it -> running.addAll(markersOf(it.pid())));
        }
        recorded.retainAll(running);
        return recorded;
    }

    private static List<ProcessHandle> processesOfRuns(Set<String> markers) {
        if (markers.isEmpty()) {
            return List.of();
        }
        return ProcessHandle.allProcesses()
                .filter(process -> markersOf(process.pid()).stream().anyMatch(markers::contains))
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
     * @param kept markers of runs that are left running
     * @return how many processes of programs were ended
     */
    public static int stopAllButExternal(List<NodeDirectory> all, Set<String> kept) {
        List<NodeDirectory> nodes = all.stream().filter(it -> !it.hasExternalAgent()).toList();
        Set<String> markers = readRunMarkers(nodes);
        markers.removeAll(kept);
        List<ProcessHandle> running = processesOfRuns(markers);
        running.forEach(ProcessHandle::destroy);
        Await.until(GRACE, () -> running.stream().noneMatch(ProcessHandle::isAlive));
        List<ProcessHandle> left = processesOfRuns(markers); // children of these, too
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

    private static Set<String> readRunMarkers(List<NodeDirectory> nodes) {
        Set<String> markers = new HashSet<>();
        nodes.forEach(node -> markers.addAll(readRunMarkers(node)));
        return markers;
    }

    /** The runs that a node's agent has on record, one file for each program. */
    private static Set<String> readRunMarkers(NodeDirectory node) {
        Path runs = node.state().resolve("run");
        if (!Files.isDirectory(runs)) {
            return Set.of();
        }
        Set<String> markers = new HashSet<>();
        try (Stream<Path> programs = Files.list(runs)) {
            for (Path program : programs.toList()) {
                Path record = program.resolve("run.json");
                if (Files.exists(record)) {
                    String marker =
                            JSON.readTree(Files.readString(record)).path("marker").asString("");
                    markers.add(marker);
                }
            }
        } catch (IOException | JacksonException e) {
            // A record that cannot be read names no run; the agent itself reports it.
            return markers;
        }
        markers.remove("");
        return markers;
    }

    private static Set<String> markersOf(long process) {
        return Stream.ofNullable(environment(process))
                .flatMap(Arrays::stream)
                .filter(entry -> entry.startsWith(MARKER))
                .map(entry -> entry.substring(MARKER.length()))
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
