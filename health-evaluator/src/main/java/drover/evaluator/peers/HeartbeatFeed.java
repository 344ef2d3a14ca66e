package drover.evaluator.peers;

import drover.evaluator.assess.Heartbeat;
import drover.kit.grpc.Address;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;

/** Where heartbeats come from. */
public interface HeartbeatFeed {
    /**
     * Subscribes to a gateway, for as long as the subscription is open; a gateway that is away is
     * tried again and again.
     */
    Subscription subscribe(Address gateway, Listener listener);

    /** A subscription to one gateway. */
    interface Subscription extends AutoCloseable {
        /** Begins to watch these nodes; the latest of each is said at once. Never blocks. */
        void add(Collection<NodeId> nodes);

        /** Watches these nodes no more. Never blocks. */
        void remove(Collection<NodeId> nodes);

        @Override
        void close();
    }

    /** Who is told. Called by one thread at a time per subscription. */
    interface Listener {
        /** A heartbeat that the gateway received this long ago. */
        void onHeartbeat(NodeId node, Heartbeat heartbeat, Duration age);

        /**
         * A heartbeat with values outside their limits, which is not used.
         *
         * @param why one sentence that names the field
         */
        void onInvalidHeartbeat(NodeId node, String why);

        /** The node is not, or no longer, connected to this gateway. */
        void onDisconnect(NodeId node);
    }
}
