package drover.standalone.fleet;

import drover.localenv.NodeDirectory;
import drover.model.program.StopSettings;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.runtime.process.RunRecord;
import drover.opsagent.store.StateJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run of a program that an agent has on record.
 *
 * @param node name of the node
 * @param program name of the program
 * @param owner user that owns the record; an adopted process of another user is not of this run,
 *     unless root wrote the record
 * @param marker empty for an adopted program, which was started without one
 * @param first process that identifies a run without a marker
 * @param bootId boot in which that process was recorded; empty otherwise
 * @param stop how the program is stopped
 */
public record RecordedProgramRun(
        String node,
        String program,
        String owner,
        String marker,
        Pid first,
        String bootId,
        StopSettings stop) {
    private static final Logger LOG = LoggerFactory.getLogger(RecordedProgramRun.class);
    private static final StateJson JSON = new StateJson();
    private static final String ROOT = "root";

    boolean isAdopted() {
        return marker.isEmpty();
    }

    /** The processes of an adopted run, which its first process identifies; else none. */
    Stream<ProcessHandle> adoptedProcesses() {
        if (!isAdopted() || !isOfOwner()) {
            return Stream.empty();
        }
        return LinuxProcesses.findAdoptedRun(first, bootId).stream()
                .flatMap(it -> ProcessHandle.of(it.number()).stream());
    }

    private boolean isOfOwner() {
        Optional<String> user =
                ProcessHandle.of(first.number()).flatMap(process -> process.info().user());
        return owner.equals(ROOT) || user.filter(owner::equals).isPresent();
    }

    /** The runs that a node's agent has on record, one file for each program. */
    static List<RecordedProgramRun> readAll(NodeDirectory node) {
        Path directory = node.state().resolve("run");
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<RecordedProgramRun> runs = new ArrayList<>();
        try (Stream<Path> programs = Files.list(directory)) {
            for (Path program : programs.toList()) {
                RecordedProgramRun run = read(node.name(), program);
                if (run != null) {
                    runs.add(run);
                }
            }
        } catch (IOException e) {
            LOG.warn("The runs of a node cannot be listed nodeId={}", node.name(), e);
        }
        return runs;
    }

    /** Null if there is no run, or the record cannot be read: the agent itself reports that. */
    private static @Nullable RecordedProgramRun read(String node, Path program) {
        Path file = program.resolve("run.json");
        try {
            if (!Files.exists(file)) {
                return null;
            }
            RunRecord run = JSON.read(Files.readAllBytes(file), RunRecord.class, file.toString());
            return new RecordedProgramRun(
                    node,
                    String.valueOf(program.getFileName()),
                    Files.getOwner(file).getName(),
                    run.marker(),
                    Objects.requireNonNullElse(run.first(), Pid.NONE),
                    Objects.requireNonNullElse(run.bootId(), ""),
                    run.launch() == null ? StopSettings.RUNTIME_DEFAULT : run.launch().stop());
        } catch (IOException | StateJson.UnreadableState e) {
            LOG.debug("A run record cannot be read file={}", file, e);
            return null;
        }
    }
}
