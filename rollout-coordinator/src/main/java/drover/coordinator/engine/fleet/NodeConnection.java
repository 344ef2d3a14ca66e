package drover.coordinator.engine.fleet;

import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.plan.observed.NodeView;
import java.time.Instant;

/**
 * Where a connected node is.
 *
 * @param since since when this leader has known of this connection without a break
 */
record NodeConnection(String gateway, ConnectedNode node, Instant since) {
    NodeView.Present presentView() {
        return node.view();
    }

    /** The same once it is known that its agent has heard of this attempt. */
    NodeConnection withMinimumAttempt(long attempt) {
        NodeView.Present present = node.view();
        return new NodeConnection(
                gateway,
                new ConnectedNode(
                        node.node(),
                        node.incarnation(),
                        node.connectionCount(),
                        new NodeView.Present(
                                present.session(),
                                present.runtime(),
                                present.features(),
                                Math.max(present.attemptFloor(), attempt),
                                present.programs())),
                since);
    }

    /**
     * The seat once a gateway has told of a connection. A gateway that has not noticed yet that its
     * stream is broken tells of one that the node has left for another gateway (C13).
     */
    static NodeConnection later(NodeConnection held, NodeConnection received) {
        boolean stale =
                !held.gateway.equals(received.gateway) && held.node.isLaterThan(received.node);
        return stale ? held : received.keepSinceOfSameSession(held);
    }

    private NodeConnection keepSinceOfSameSession(NodeConnection held) {
        boolean same = held.presentView().session().equals(presentView().session());
        return same ? new NodeConnection(gateway, node, held.since) : this;
    }
}
