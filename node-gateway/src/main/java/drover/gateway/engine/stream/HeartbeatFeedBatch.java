package drover.gateway.engine.stream;

import drover.gateway.session.LatestHeartbeat;
import drover.model.NodeId;
import java.util.List;
import java.util.Map;

/** Heartbeats and departures of watched nodes. */
public record HeartbeatFeedBatch(
        Map<NodeId, LatestHeartbeat> heartbeats, List<NodeId> disconnected) {
    public HeartbeatFeedBatch {
        heartbeats = Map.copyOf(heartbeats);
        disconnected = List.copyOf(disconnected);
    }
}
