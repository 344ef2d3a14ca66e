package drover.standalone;

import drover.machine.home.DataDirectory;
import drover.machine.home.NodeDirectory;
import drover.standalone.fleet.FleetDoors;
import drover.standalone.fleet.PlannedNode;
import java.util.List;
import java.util.Map;

/** Makes nodes ready for their agents: known to the gateways, and laid out with what they run. */
public final class NodePreparation {
    private final DataDirectory data;
    private final FleetDoors doors;
    private final Services services;

    NodePreparation(DataDirectory data, FleetDoors doors, Services services) {
        this.data = data;
        this.doors = doors;
        this.services = services;
    }

    /** Of a mesh whose services run elsewhere. */
    public static NodePreparation elsewhere(DataDirectory data, FleetDoors doors) {
        return new NodePreparation(data, doors, new Assembly(Map.of()));
    }

    /** Idempotent: a node that has its first programs keeps what it runs by now. */
    public void prepare(List<PlannedNode> nodes) {
        for (PlannedNode node : nodes) {
            NodeDirectory directory = data.node(node.name());
            doors.register(node, directory);
            if (!services.isInstalled(directory)) {
                services.install(doors.installation(node, directory));
            }
        }
    }
}
