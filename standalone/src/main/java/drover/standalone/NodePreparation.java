package drover.standalone;

import drover.machine.home.DataDirectory;
import drover.machine.home.NodeDirectory;
import drover.machine.home.Unusable;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.fleet.FleetDoors;
import drover.standalone.fleet.PlannedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Makes nodes ready for their agents: known to the gateways, and laid out with what they run. */
public final class NodePreparation {
    private final DataDirectory data;
    private final FleetDoors doors;
    private final Services services;
    private final Function<NodeDirectory, Optional<Digest>> token;

    private NodePreparation(
            DataDirectory data,
            FleetDoors doors,
            Services services,
            Function<NodeDirectory, Optional<Digest>> token) {
        this.data = data;
        this.doors = doors;
        this.services = services;
        this.token = token;
    }

    /** Each has a token of its own, made at the first time. */
    NodePreparation(DataDirectory data, FleetDoors doors, Services services) {
        this(data, doors, services, node -> Optional.of(node.tokenDigest()));
    }

    /** Of a mesh whose services run elsewhere. */
    public static NodePreparation elsewhere(DataDirectory data, FleetDoors doors) {
        return new NodePreparation(data, doors, new Assembly(Map.of()));
    }

    /** The same for nodes that show certificates: none has a token. */
    public static NodePreparation certified(DataDirectory data, FleetDoors doors) {
        return new NodePreparation(data, doors, new Assembly(Map.of()), _ -> Optional.empty());
    }

    /** A node that is not ready for its agent, and why. */
    public record Unready(NodeId node, String why) {}

    /**
     * Idempotent: a node that has its first programs keeps what it runs by now. One that cannot be
     * made ready, because its disk is broken or its token was ended, keeps no other from it.
     *
     * @return those that are not ready
     * @throws FleetDoors.Unanswered when a part of the mesh is away: each node would wait for it
     */
    public List<Unready> prepare(List<PlannedNode> nodes) {
        List<Unready> left = new ArrayList<>();
        for (PlannedNode node : nodes) {
            try {
                prepare(node);
            } catch (FleetDoors.Unanswered e) {
                throw e;
            } catch (Unusable e) {
                left.add(new Unready(node.name(), e.sentence()));
            }
        }
        return List.copyOf(left);
    }

    private void prepare(PlannedNode node) {
        NodeDirectory directory = data.node(node.name());
        doors.register(node, token.apply(directory));
        if (!services.isInstalled(directory)) {
            services.install(doors.installation(node, directory));
        }
    }

    /**
     * Everybody has to be ready.
     *
     * @throws Unusable with one sentence for each that is not
     */
    public static void requireNone(List<Unready> left) {
        if (!left.isEmpty()) {
            throw new Unusable(
                    left.stream()
                            .map(node -> node.node() + " is not ready: " + node.why())
                            .collect(Collectors.joining("\n")));
        }
    }
}
