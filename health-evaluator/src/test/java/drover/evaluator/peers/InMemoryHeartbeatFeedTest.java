package drover.evaluator.peers;

import drover.evaluator.assess.Heartbeat;
import drover.kit.grpc.Address;
import drover.model.NodeId;

class InMemoryHeartbeatFeedTest extends HeartbeatFeedContract {
    private final InMemoryHeartbeatFeed feed = new InMemoryHeartbeatFeed();

    @Override
    void beat(NodeId node, Heartbeat heartbeat) {
        feed.sendHeartbeat(gateway(), node, heartbeat);
    }

    @Override
    void leave(NodeId node) {
        feed.disconnect(gateway(), node);
    }

    @Override
    HeartbeatFeed feed() {
        return feed;
    }

    @Override
    Address gateway() {
        return new Address.InProcess("gateway");
    }
}
