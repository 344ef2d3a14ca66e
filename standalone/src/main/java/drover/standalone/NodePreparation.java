package drover.standalone;

import drover.machine.home.DataDirectory;
import drover.machine.home.NodeDirectory;
import drover.model.Digest;
import drover.standalone.fleet.FleetDoors;
import drover.standalone.fleet.PlannedNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

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

    /** Idempotent: a node that has its first programs keeps what it runs by now. */
    public void prepare(List<PlannedNode> nodes) {
        for (PlannedNode node : nodes) {
            NodeDirectory directory = data.node(node.name());
            doors.register(node, token.apply(directory));
            if (!services.isInstalled(directory)) {
                services.install(doors.installation(node, directory));
            }
        }
    }
}
