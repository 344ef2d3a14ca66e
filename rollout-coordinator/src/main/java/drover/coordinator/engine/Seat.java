package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.plan.NodeView;
import java.time.Instant;

/**
 * Where a connected node is.
 *
 * @param since since when this leader has known of this connection without a break
 */
record Seat(String gateway, PresentNode node, Instant since) {
    NodeView.Present present() {
        return node.view();
    }

    /** The same once it is known that its agent has heard of this attempt. */
    Seat withFloor(long attempt) {
        NodeView.Present present = node.view();
        return new Seat(
                gateway,
                new PresentNode(
                        node.node(),
                        node.incarnation(),
                        node.dial(),
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
    static Seat later(Seat held, Seat told) {
        boolean stale = !held.gateway.equals(told.gateway) && held.node.isLaterThan(told.node);
        return stale ? held : told.knownSince(held);
    }

    private Seat knownSince(Seat held) {
        boolean same = held.present().session().equals(present().session());
        return same ? new Seat(gateway, node, held.since) : this;
    }
}
