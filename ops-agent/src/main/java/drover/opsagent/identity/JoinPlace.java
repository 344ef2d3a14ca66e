package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Where this machine becomes a node by itself.
 *
 * @param doors of gateways that enrol machines; at least one
 * @param tokenFile in which somebody puts a join token; it need not be there yet
 */
public record JoinPlace(List<GatewayAddress> doors, Path tokenFile) {
    public JoinPlace {
        doors = List.copyOf(doors);
        if (doors.isEmpty()) {
            throw new IllegalArgumentException("A machine needs a door to be enrolled at");
        }
    }
}
