package drover.standalone.fleet;

import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.StandaloneNodes;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Decides which nodes a mesh has: those of {@code nodes.yaml}, or a number of equal ones made from
 * the {@code standalone:} block of the one profile that has it. Chosen ports are remembered.
 */
public final class PortSavingFleetPlanner {
    /** Nodes made when nobody says how many; enough to see a canary and a batch. */
    static final int DEFAULT_NODES = 3;

    private static final int MOST_NODES = 500; // real programs on one machine

    private PortSavingFleetPlanner() {}

    /**
     * The nodes of the mesh, in the order they are shown.
     *
     * @param config where {@code nodes.yaml} may be
     * @param count nodes asked for; empty: as many as before, or the default
     * @param profiles the good chain profiles of the configuration
     * @throws UserFacingError when the two ways contradict each other or neither is given
     */
    public static List<PlannedNode> planAndSavePorts(
            DataDirectory directory, Path config, OptionalInt count, List<ChainProfile> profiles) {
        Path file = config.resolve("nodes.yaml");
        PortAssignmentsFile book = PortAssignmentsFile.open(directory.portAssignmentsFile());
        List<PlannedNode> nodes;
        if (Files.exists(file)) {
            if (count.isPresent()) {
                throw new UserFacingError(
                        file + " lists the nodes; leave --nodes away, or the file.");
            }
            nodes = NodesFileReader.read(file);
        } else {
            nodes = equalNodes(config, profiles, size(count, book.size()));
        }
        List<PlannedNode> settled =
                IntStream.range(0, nodes.size())
                        .mapToObj(index -> resolveLabels(nodes.get(index), index + 1, book))
                        .toList();
        book.save();
        return settled;
    }

    /** A fleet only grows: a node that is left out would keep its program without an agent. */
    private static int size(OptionalInt count, int remembered) {
        int size = count.orElse(remembered == 0 ? DEFAULT_NODES : remembered);
        if (size < 1 || size > MOST_NODES) {
            throw new UserFacingError("--nodes takes a number from 1 to " + MOST_NODES + ".");
        }
        if (size < remembered) {
            throw new UserFacingError(
                    "This data directory has "
                            + remembered
                            + " nodes already; start it with --nodes "
                            + remembered
                            + " or more, or choose another directory with --data.");
        }
        return size;
    }

    private static List<PlannedNode> equalNodes(
            Path config, List<ChainProfile> profiles, int size) {
        List<ChainProfile> able = profiles.stream().filter(ChainProfile::hasStandalone).toList();
        if (able.size() != 1) {
            throw new UserFacingError(
                    (able.isEmpty()
                                    ? "No chain profile of " + config + " has a standalone: block"
                                    : "Several chain profiles of "
                                            + config
                                            + " have a standalone: block")
                            + ", so Drover cannot tell which nodes to make; list them in "
                            + config.resolve("nodes.yaml")
                            + ".");
        }
        ChainProfile profile = able.getFirst();
        try {
            return IntStream.rangeClosed(1, size)
                    .mapToObj(
                            number -> node(profile.getId(), profile.getStandalone(), number, size))
                    .toList();
        } catch (IllegalArgumentException e) { // MalformedValue says which word it is
            throw new UserFacingError(
                    "The standalone: block of chain profile "
                            + profile.getId()
                            + " cannot be used: "
                            + e.getMessage(),
                    e);
        }
    }

    private static PlannedNode node(String chain, StandaloneNodes block, int number, int size) {
        // Equal width, so that node lists sort as people count.
        String digits = Integer.toString(number);
        String padded =
                "0".repeat(Math.max(2, Integer.toString(size).length()) - digits.length()) + digits;
        List<InitialProgram> programs =
                block.getProgramsList().stream()
                        .map(
                                program ->
                                        new InitialProgram(
                                                new BinaryName(program.getName()),
                                                new Version(program.getVersion()),
                                                program.getUrl(),
                                                new Digest(program.getChecksum())))
                        .toList();
        return new PlannedNode(
                new NodeId(block.getNamePrefix() + "-" + padded),
                new ChainProfileId(chain),
                new NodeType(block.getNodeType()),
                block.getLabelsMap(),
                programs,
                false);
    }

    /** Fills in {@code {n}} and {@code {port}}. */
    private static PlannedNode resolveLabels(
            PlannedNode node, int number, PortAssignmentsFile book) {
        Map<String, String> labels = new TreeMap<>();
        // Every node has its line in the book, so that the book's length is the fleet's size.
        String port = Integer.toString(book.getOrAssignPort(node.name().value()));
        node.labels()
                .forEach(
                        (name, value) ->
                                labels.put(
                                        name,
                                        value.replace("{n}", Integer.toString(number))
                                                .replace("{port}", port)));
        return node.withLabels(labels);
    }
}
