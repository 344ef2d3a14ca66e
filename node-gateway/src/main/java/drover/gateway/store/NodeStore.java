package drover.gateway.store;

import drover.gateway.identity.BlockReason;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Nodes and gateways as they are remembered. Every method throws {@link StoreUnavailable} when the
 * database is away.
 */
public interface NodeStore {
    /** How long a gateway that says nothing still counts as alive: three of its beats of 5 s. */
    Duration GATEWAY_TIMEOUT = Duration.ofSeconds(15);

    /** The largest page of {@link #list}. */
    int LARGEST_PAGE = 10_000;

    /** Whose token it is. */
    record NodeTokenOwner(NodeIdentity node, Digest tokenSha256) {}

    /** What became of a registration. */
    sealed interface NodeRegistrationResult {
        /** The node is registered as asked. */
        record Registered(StoredNode node) implements NodeRegistrationResult {}

        /** The node exists with another chain profile or type, which never change. */
        record ChainOrTypeConflict(NodeIdentity present) implements NodeRegistrationResult {}

        /** Another node has this token; tokens are never shared. */
        record NodeTokenInUse() implements NodeRegistrationResult {}

        /** A node with this token was barred; whoever has it now may have stolen it (H3). */
        record NodeTokenRevoked() implements NodeRegistrationResult {}
    }

    /**
     * A node as it is remembered.
     *
     * @param lastSeen empty when it never connected
     * @param gatewayId gateway that holds its session, as far as that gateway is alive; else empty
     * @param lastGatewayId the same whether or not that gateway was heard of since; empty when the
     *     node left in good order
     * @param retiredAt empty while it is in service
     * @param blockReason empty while somebody may speak for it
     * @param readAt when this was read, by the clock that dates lastSeen: the database's
     */
    record StoredNode(
            NodeIdentity node,
            NodeInventory inventory,
            Optional<Instant> lastSeen,
            String gatewayId,
            String lastGatewayId,
            Optional<Instant> retiredAt,
            Optional<BlockReason> blockReason,
            Instant readAt) {}

    /**
     * Which nodes to list, ordered by id.
     *
     * @param chain empty for all
     * @param type empty for all
     * @param ids empty for all that are not retired
     * @param labels all of which a node has; empty for all
     * @param after ids beyond this one; empty from the start
     * @param limit 1 to {@link #LARGEST_PAGE}
     */
    record Query(
            String chain,
            String type,
            List<NodeId> ids,
            Map<String, String> labels,
            String after,
            int limit) {
        public Query {
            ids = List.copyOf(ids);
            labels = Map.copyOf(labels);
        }

        /** Whatever labels they have. */
        public Query(String chain, String type, List<NodeId> ids, String after, int limit) {
            this(chain, type, ids, Map.of(), after, limit);
        }

        /** Every node, as far as one page goes. */
        public static Query firstPage() {
            return new Query("", "", List.of(), "", LARGEST_PAGE);
        }
    }

    /**
     * What a gateway knows of a node.
     *
     * @param connected whether the node is connected to that gateway now
     */
    record NodeUpdate(NodeId node, NodeInventory inventory, boolean connected) {}

    /** What became of a retirement. */
    sealed interface RetirementResult {
        /** The node is retired, now or earlier. */
        record Retired(StoredNode node) implements RetirementResult {}

        /** A gateway that is alive holds its session. */
        record Online(String gatewayId) implements RetirementResult {}

        /** There is no such node. */
        record NoNode() implements RetirementResult {}
    }

    /**
     * Takes a node that is offline out of service: its token belongs to nobody from now on, and its
     * certificates are ended.
     */
    RetirementResult retire(NodeId node);

    /**
     * Registers a node or changes its labels and token; the same again changes nothing. A retired
     * node is in service again.
     */
    NodeRegistrationResult register(NodeIdentity node, Digest tokenSha256);

    /**
     * Registers a node that shows certificates, or changes its labels; a token that it had is
     * nobody's from now on. Whether it is barred stays as it is, and so does the token by which it
     * was. A retired node stays retired: its certificates are over, and a machine that is enrolled
     * as this node brings it back.
     */
    NodeRegistrationResult registerCertified(NodeIdentity node);

    /** Whose token has this digest. */
    Optional<NodeTokenOwner> findTokenOwner(Digest tokenSha256);

    /** The nodes asked for. */
    List<StoredNode> list(Query query);

    /**
     * Writes what changed on nodes of this gateway, in one statement. What it knows of a node that
     * has left counts only while no other gateway holds the node.
     */
    void writeNodeUpdates(String gatewayId, Collection<NodeUpdate> sightings);

    /** Writes when nodes were heard of, as time ago, in one statement; never takes one back. */
    void recordLastSeen(Map<NodeId, Duration> ago);

    /**
     * A gateway begins, and holds no node yet: what an earlier process of its name held when it was
     * killed is held by nobody, or those that never come back could not be retired.
     */
    void releaseGatewayNodes(String gatewayId);

    /** A gateway says that it is alive and where. */
    void recordGatewayHeartbeat(String gatewayId, String address);

    /** A gateway goes away for good. */
    void removeGateway(String gatewayId);

    /** Addresses of the gateways that are alive, by id. */
    Map<String, String> listLiveGateways();
}
