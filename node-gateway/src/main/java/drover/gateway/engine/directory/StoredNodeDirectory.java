package drover.gateway.engine.directory;

import drover.gateway.engine.session.SessionTable;
import drover.gateway.identity.BlockReason;
import drover.gateway.session.ConnectedExecutor;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.NodeSnapshot;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.store.NodeStore;
import drover.gateway.store.NodeStore.NodeRegistrationResult;
import drover.gateway.store.NodeStore.RetirementResult;
import drover.gateway.store.NodeStore.StoredNode;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The list of all nodes: what is remembered of each, joined with the sessions of this gateway. */
public final class StoredNodeDirectory {
    /** The largest page of {@link #list}. */
    public static final int LARGEST_PAGE = NodeStore.LARGEST_PAGE;

    private final String gatewayId;
    private final SessionTable table;
    private final NodeStore store;
    private final InstantSource clock;
    private final Duration idleHeartbeat;

    /** Knows the sessions of this gateway and the memory of all. */
    public StoredNodeDirectory(
            String gatewayId,
            SessionTable table,
            NodeStore store,
            InstantSource clock,
            Duration idleHeartbeat) {
        this.gatewayId = gatewayId;
        this.table = table;
        this.store = store;
        this.clock = clock;
        this.idleHeartbeat = idleHeartbeat;
    }

    /**
     * A node as it is now.
     *
     * @param gatewayId gateway that holds its session; empty when it is offline
     * @param lastGatewayId the same whether or not that gateway was heard of since; empty when the
     *     node left in good order
     * @param lastSeen by the database's clock; empty when it never connected
     * @param health by the latest heartbeat, which this gateway alone holds
     * @param clockAhead how far the node's clock is ahead of this gateway's; empty while no
     *     heartbeat here says it
     * @param conditions health of each program; empty without a fresh heartbeat here
     * @param heartbeat the fresh heartbeat here, if there is one
     * @param retiredAt empty while it is in service
     * @param blockReason empty while somebody may speak for it
     */
    public record NodeWithLiveHealth(
            NodeIdentity node,
            NodeInventory inventory,
            Optional<String> gatewayId,
            String lastGatewayId,
            Optional<Instant> lastSeen,
            NodeHealth health,
            Map<String, NodeHealth> conditions,
            Optional<HeartbeatWithAge> heartbeat,
            Optional<Duration> clockAhead,
            Optional<Instant> retiredAt,
            Optional<BlockReason> blockReason) {
        /** Whether its agent is connected to any gateway that is alive. */
        public boolean isOnline() {
            return gatewayId.isPresent();
        }
    }

    /** A heartbeat and its age. */
    public record HeartbeatWithAge(OpaqueMessage body, Duration age) {}

    /**
     * Nodes ordered by id.
     *
     * @param chain empty for all
     * @param type empty for all
     * @param ids empty for all that are not retired
     * @param labels all of which a node has; empty for all
     * @param after ids beyond this one; empty from the start
     * @param limit 1 to {@link #LARGEST_PAGE}
     * @throws Refused when the database is away
     */
    public List<NodeWithLiveHealth> list(
            String chain,
            String type,
            List<NodeId> ids,
            Map<String, String> labels,
            String after,
            int limit) {
        NodeStore.Query query = new NodeStore.Query(chain, type, ids, labels, after, limit);
        return refuseIfUnavailable(() -> store.list(query)).stream().map(this::toEntry).toList();
    }

    /**
     * Registers a node or changes its labels and token; the same again changes nothing.
     *
     * @param tokenSha256 empty for a node that shows certificates, whose token is over with that
     * @throws Refused when its chain profile or type would change, when another node has the token,
     *     when the token was ended, and when the database is away
     */
    public NodeWithLiveHealth register(NodeIdentity node, Optional<Digest> tokenSha256) {
        return switch (refuseIfUnavailable(() -> storeRegistration(node, tokenSha256))) {
            case NodeRegistrationResult.Registered(var registered) -> toEntry(registered);
            case NodeRegistrationResult.ChainOrTypeConflict(var present) ->
                    throw new Refused(
                            RefusalCode.NODE_IDENTITY_FIXED,
                            "Node %s belongs to chain profile %s with type %s, for good; use another id."
                                    .formatted(present.id(), present.chain(), present.type()),
                            "node_id");
            case NodeRegistrationResult.NodeTokenInUse() ->
                    throw new Refused(
                            RefusalCode.INVALID_FIELD,
                            "Another node has this token; make one for each node.",
                            "token_sha256");
            case NodeRegistrationResult.NodeTokenRevoked() ->
                    throw new Refused(
                            RefusalCode.INVALID_FIELD,
                            "This token was ended when its node was revoked or locked; register the"
                                    + " node with another ('up' and 'prepare' make one when the"
                                    + " node's file 'token' is deleted).",
                            "token_sha256");
        };
    }

    private NodeRegistrationResult storeRegistration(
            NodeIdentity node, Optional<Digest> tokenSha256) {
        return tokenSha256.isPresent()
                ? store.register(node, tokenSha256.get())
                : store.registerCertified(node);
    }

    /**
     * One node.
     *
     * @throws Refused when there is none, and when the database is away
     */
    public NodeWithLiveHealth findOrRefuse(NodeId node) {
        return list("", "", List.of(node), Map.of(), "", 1).stream()
                .findFirst()
                .orElseThrow(() -> notFound(node));
    }

    private static Refused notFound(NodeId node) {
        return new Refused(
                RefusalCode.NODE_NOT_FOUND,
                "There is no node %s; look at 'drover node list'.".formatted(node),
                "node_id");
    }

    /**
     * Takes a node out of service for good, or until it is registered again.
     *
     * @throws Refused when there is no such node, when it is online, and when the database is away
     */
    public NodeWithLiveHealth retire(NodeId node) {
        boolean here =
                table.snapshot(node).executor().isPresent(); // the store hears of it a bit later
        RetirementResult retirement =
                here
                        ? new RetirementResult.Online(gatewayId)
                        : refuseIfUnavailable(() -> store.retire(node));
        return switch (retirement) {
            case RetirementResult.Retired(var retired) -> toEntry(retired);
            case RetirementResult.Online(var holder) ->
                    throw new Refused(
                            RefusalCode.NODE_ONLINE,
                            "Node %s is connected to gateway %s; stop its agent first."
                                    .formatted(node, holder),
                            "node_id");
            case RetirementResult.NoNode() -> throw notFound(node);
        };
    }

    /**
     * A node is online here when this gateway holds its session, and elsewhere when a gateway that
     * is alive says so: a gateway that crashed takes its nodes offline with it. When it was last
     * heard of is told by the database's clock either way, for that is compared with what others
     * wrote there.
     */
    private NodeWithLiveHealth toEntry(StoredNode stored) {
        NodeSnapshot view = table.snapshot(stored.node().id());
        Optional<ConnectedExecutor> here = view.executor();
        NodeInventory inventory = here.map(ConnectedExecutor::inventory).orElse(stored.inventory());
        if (here.isPresent()) {
            long nanos = table.nanoTime();
            return new NodeWithLiveHealth(
                    stored.node(),
                    inventory,
                    Optional.of(gatewayId),
                    gatewayId,
                    Optional.of(stored.readAt().minusNanos(nanos - view.lastReceivedNanos())),
                    NodeHealth.of(view, nanos, idleHeartbeat),
                    NodeHealth.programsOf(view, nanos, idleHeartbeat),
                    NodeHealth.freshHeartbeat(view, nanos, idleHeartbeat)
                            .map(
                                    beat ->
                                            new HeartbeatWithAge(
                                                    beat.body(),
                                                    Duration.ofNanos(
                                                            nanos - beat.receivedNanos()))),
                    view.heartbeat().flatMap(beat -> beat.clockAhead(nanos, clock.instant())),
                    stored.retiredAt(),
                    stored.blockReason());
        }
        Optional<String> elsewhere =
                Optional.of(stored.gatewayId())
                        .filter(other -> !other.isEmpty() && !other.equals(gatewayId));
        return new NodeWithLiveHealth(
                stored.node(),
                inventory,
                elsewhere,
                stored.lastGatewayId(),
                stored.lastSeen(),
                elsewhere.map(NodeHealth::connectedElsewhere).orElseGet(NodeHealth::offline),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                stored.retiredAt(),
                stored.blockReason());
    }

    private static <T> T refuseIfUnavailable(Supplier<T> question) {
        try {
            return question.get();
        } catch (StoreUnavailable e) {
            throw new Refused(
                    RefusalCode.STORE_UNAVAILABLE, e.getMessage() + "; try again in a moment.");
        }
    }
}
