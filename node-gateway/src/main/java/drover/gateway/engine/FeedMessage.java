package drover.gateway.engine;

import drover.gateway.session.HeartbeatSlot;
import drover.model.NodeId;
import java.util.List;
import java.util.Map;

/** Heartbeats and departures of watched nodes. */
public record FeedMessage(Map<NodeId, HeartbeatSlot> heartbeats, List<NodeId> gone) {
    public FeedMessage {
        heartbeats = Map.copyOf(heartbeats);
        gone = List.copyOf(gone);
    }
}
