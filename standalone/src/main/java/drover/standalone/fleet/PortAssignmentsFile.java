package drover.standalone.fleet;

import drover.localenv.AtomicFileWriter;
import drover.localenv.Ports;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What was chosen once and must stay: the nodes of a mesh and the port of each. A program keeps its
 * port over restarts of the mesh, as its configuration file on the node names it.
 */
final class PortAssignmentsFile {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;
    private final Map<String, Integer> ports;

    private PortAssignmentsFile(Path file, Map<String, Integer> ports) {
        this.file = file;
        this.ports = ports;
    }

    /**
     * Opens the book; an absent file is an empty book.
     *
     * @throws UserFacingError when the file is not what {@link #save} writes
     */
    static PortAssignmentsFile open(Path file) {
        if (!Files.exists(file)) {
            return new PortAssignmentsFile(file, new TreeMap<>());
        }
        Map<String, Integer> ports = new TreeMap<>();
        try {
            JsonNode nodes = JSON.readTree(Files.readString(file)).path("nodes");
            nodes.forEachEntry((name, node) -> ports.put(name, node.path("port").asInt()));
            return new PortAssignmentsFile(file, ports);
        } catch (IOException | JacksonException e) {
            throw new UserFacingError(
                    file + " cannot be read; it names the ports of the nodes: restore it.", e);
        }
    }

    /** How many nodes the book knows. */
    int size() {
        return ports.size();
    }

    /** The port of a node, chosen at the first call. */
    int getOrAssignPort(String node) {
        Set<Integer> reserved = new HashSet<>(ports.values());
        return ports.computeIfAbsent(node, name -> Ports.findFree(reserved));
    }

    /** Remembers what was chosen; before this nothing may use it. */
    void save() {
        ObjectNode document = JSON.createObjectNode();
        ObjectNode nodes = document.putObject("nodes");
        ports.forEach((name, port) -> nodes.putObject(name).put("port", port));
        AtomicFileWriter.write(
                file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n");
    }
}
