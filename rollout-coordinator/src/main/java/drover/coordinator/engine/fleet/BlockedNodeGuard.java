package drover.coordinator.engine.fleet;

import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.store.gateway.BlockedNodeReader;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that a node for which nobody may speak gets no further command, whatever its gateway
 * says: one that has lost its own way to the database ends no stream, and lets in again whom it
 * knew (invariant H3). The leader has that way, or it would not lead. What it asks grows with the
 * nodes at work, and not with the fleet, but for those at such a gateway.
 */
public final class BlockedNodeGuard {
    private static final Logger LOG = LoggerFactory.getLogger(BlockedNodeGuard.class);

    private final BlockedNodeReader blockedNodes;
    private final NodeReservationCache guards;
    private final FleetCache mirror;
    private final Consumer<Collection<NodeId>> drop;
    private final Consumer<Collection<NodeId>> wake;
    private final Consumer<Collection<NodeId>> resubscribe;

    /**
     * @param drop takes back commands to nodes that have not gone out yet
     * @param wake has the loops look at nodes whose sessions are over
     * @param resubscribe has every gateway say where nodes are that may be spoken for again
     */
    public BlockedNodeGuard(
            BlockedNodeReader blockedNodes,
            NodeReservationCache guards,
            FleetCache mirror,
            Consumer<Collection<NodeId>> drop,
            Consumer<Collection<NodeId>> wake,
            Consumer<Collection<NodeId>> resubscribe) {
        this.blockedNodes = blockedNodes;
        this.guards = guards;
        this.mirror = mirror;
        this.drop = drop;
        this.wake = wake;
        this.resubscribe = resubscribe;
    }

    /**
     * One look at the nodes in flight, at those that were barred before, and at all that gateways
     * have who cannot look: whoever was revoked there before its turn is offline when it comes.
     *
     * @throws StoreUnavailable when the database is away
     */
    public void updateBlockedNodes() {
        Set<NodeId> before = mirror.blockedNodes();
        Set<NodeId> requested = new HashSet<>(guards.nodesInFlight());
        requested.addAll(before);
        requested.addAll(mirror.nodesAtGatewaysWithoutDatabase());
        Set<NodeId> found = requested.isEmpty() ? Set.of() : blockedNodes.findBlocked(requested);
        block(found);
        Set<NodeId> back = new HashSet<>(before);
        back.removeAll(found);
        if (!back.isEmpty()) {
            resubscribe.accept(back);
        }
    }

    private void block(Set<NodeId> found) {
        Set<NodeId> over = mirror.block(found);
        if (!found.isEmpty()) {
            drop.accept(found); // it may have been permitted, and wait for a slow gateway since
        }
        if (!over.isEmpty()) {
            LOG.warn("Nodes that nobody may speak for are taken for gone nodeIds={}", over);
            wake.accept(over);
        }
    }

    /**
     * What may go out of this: no command for a node that was barred meanwhile. Asked for each
     * time, because a node may be barred long before its turn comes.
     *
     * @throws StoreUnavailable when nobody can say; then nothing is sent
     */
    public List<MessageToNode> refreshAndDropBlocked(List<MessageToNode> deliveries) {
        Set<NodeId> commanded =
                deliveries.stream()
                        .filter(MessageToNode.Command.class::isInstance)
                        .map(MessageToNode::node)
                        .collect(Collectors.toSet());
        if (commanded.isEmpty()) {
            return deliveries;
        }
        Set<NodeId> found = blockedNodes.findBlocked(commanded);
        block(found);
        return deliveries.stream().filter(delivery -> !found.contains(delivery.node())).toList();
    }
}
