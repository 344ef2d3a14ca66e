package drover.gateway.store;

import drover.gateway.identity.BlockReason;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The double of {@link PostgresNodeStore}; the same contract test runs against both. */
public final class InMemoryNodeStore implements NodeStore {
    private final InstantSource clock;
    private final SortedMap<NodeId, NodeRow> rows = new TreeMap<>();
    private final Map<String, GatewayRow> gateways = new HashMap<>();
    private final Map<NodeId, BlockReason> blockReasons = new HashMap<>();
    private final Set<Digest> endedTokens = new HashSet<>();
    private final Map<NodeId, Integer> retirements = new HashMap<>();

    private record NodeRow(
            NodeIdentity node,
            Optional<Digest> token,
            NodeInventory inventory,
            Optional<Instant> lastSeen,
            String gatewayId,
            Optional<Instant> retired) {
        /** Of a node that nobody has heard of. */
        static NodeRow neverConnected(NodeIdentity node) {
            return new NodeRow(
                    node,
                    Optional.empty(),
                    NodeInventory.NONE,
                    Optional.empty(),
                    "",
                    Optional.empty());
        }

        /** The same node, held by nobody. */
        NodeRow withoutGateway() {
            return new NodeRow(node, token, inventory, lastSeen, "", retired);
        }

        /** The same node as this one, in service or not as it is. */
        NodeRow withIdentity(NodeIdentity node, Optional<Digest> credential) {
            return new NodeRow(node, credential, inventory, lastSeen, gatewayId, retired);
        }

        /** The same node in service as this one, with what was last heard of it. */
        NodeRow returnToService(NodeIdentity as, Optional<Digest> credential) {
            return new NodeRow(as, credential, inventory, lastSeen, gatewayId, Optional.empty());
        }
    }

    private record GatewayRow(String address, Instant seenAt) {}

    /** Empty. */
    public InMemoryNodeStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public synchronized NodeRegistrationResult register(NodeIdentity node, Digest tokenSha256) {
        NodeRow present = rows.get(node.id());
        if (present != null && !sameChainAndType(present.node(), node)) {
            return new NodeRegistrationResult.ChainOrTypeConflict(present.node());
        }
        Optional<NodeId> holder = findTokenHolder(tokenSha256);
        boolean own = holder.filter(node.id()::equals).isPresent();
        if (!own && endedTokens.contains(tokenSha256)) {
            return new NodeRegistrationResult.NodeTokenRevoked();
        }
        if (!own && holder.isPresent()) {
            return new NodeRegistrationResult.NodeTokenInUse();
        }
        NodeRow row =
                (present == null ? NodeRow.neverConnected(node) : present)
                        .returnToService(node, Optional.of(tokenSha256));
        if (present != null && present.token().isPresent() && !own) {
            blockReasons.remove(node.id()); // it has another one now
        }
        rows.put(node.id(), row);
        return new NodeRegistrationResult.Registered(toStoredNode(row));
    }

    @Override
    public synchronized NodeRegistrationResult registerCertified(NodeIdentity node) {
        NodeRow present = rows.getOrDefault(node.id(), NodeRow.neverConnected(node));
        if (!sameChainAndType(present.node(), node)) {
            return new NodeRegistrationResult.ChainOrTypeConflict(present.node());
        }
        NodeRow row =
                present.withIdentity(
                        node, isBlocked(node.id()) ? present.token() : Optional.empty());
        rows.put(node.id(), row);
        return new NodeRegistrationResult.Registered(toStoredNode(row));
    }

    /** The node, new or back in service, without a token; else the one of this id that differs. */
    synchronized Optional<NodeIdentity> enrollOrFindConflict(NodeIdentity node) {
        NodeRow present = rows.get(node.id());
        if (present != null && !sameChainAndType(present.node(), node)) {
            return Optional.of(present.node());
        }
        NodeRow row =
                present == null
                        ? NodeRow.neverConnected(node)
                        : present.returnToService(
                                node.labels().isEmpty() ? present.node() : node,
                                isBlocked(node.id()) ? Optional.empty() : present.token());
        rows.put(node.id(), row);
        blockReasons.remove(node.id());
        return Optional.empty();
    }

    /** Nobody speaks for this node any more; false when there is none. */
    synchronized boolean block(NodeId node, BlockReason why) {
        if (!rows.containsKey(node)) {
            return false;
        }
        blockReasons.put(node, why);
        requireRow(node).token().ifPresent(endedTokens::add);
        return true;
    }

    synchronized boolean isBlocked(NodeId node) {
        return blockReasons.containsKey(node);
    }

    synchronized Optional<BlockReason> block(NodeId node) {
        return Optional.ofNullable(blockReasons.get(node));
    }

    /** Nodes of which this is so, in service. */
    synchronized List<NodeId> blockedNodes(BlockReason why) {
        return rows.values().stream()
                .filter(row -> row.retired().isEmpty())
                .map(row -> row.node().id())
                .filter(node -> blockReasons.get(node) == why)
                .toList();
    }

    /** How often the node was taken out of service. */
    synchronized int retirementCount(NodeId node) {
        return retirements.getOrDefault(node, 0);
    }

    /** A node as it is registered. */
    synchronized NodeIdentity identity(NodeId node) {
        return requireRow(node).node();
    }

    synchronized boolean isRetired(NodeId node) {
        return requireRow(node).retired().isPresent();
    }

    private NodeRow requireRow(NodeId node) {
        return Objects.requireNonNull(rows.get(node), "a node with a certificate is never deleted");
    }

    @Override
    public synchronized RetirementResult retire(NodeId node) {
        NodeRow row = rows.get(node);
        if (row == null) {
            return new RetirementResult.NoNode();
        }
        if (row.retired().isEmpty() && listLiveGateways().containsKey(row.gatewayId())) {
            return new RetirementResult.Online(row.gatewayId());
        }
        NodeRow retired =
                new NodeRow(
                        row.node(),
                        isBlocked(node) ? row.token() : Optional.empty(),
                        row.inventory(),
                        row.lastSeen(),
                        row.gatewayId(),
                        Optional.of(row.retired().orElseGet(clock::instant)));
        if (row.retired().isEmpty()) {
            retirements.merge(node, 1, Integer::sum);
        }
        rows.put(node, retired);
        return new RetirementResult.Retired(toStoredNode(retired));
    }

    private static boolean sameChainAndType(NodeIdentity one, NodeIdentity other) {
        return one.chain().equals(other.chain()) && one.type().equals(other.type());
    }

    private Optional<NodeId> findTokenHolder(Digest tokenSha256) {
        return rows.values().stream()
                .filter(row -> row.token().filter(tokenSha256::equals).isPresent())
                .map(row -> row.node().id())
                .findFirst();
    }

    @Override
    public synchronized Optional<NodeTokenOwner> findTokenOwner(Digest tokenSha256) {
        return rows.values().stream()
                .filter(row -> row.token().filter(tokenSha256::equals).isPresent())
                .filter(row -> !isBlocked(row.node().id()))
                .map(row -> new NodeTokenOwner(row.node(), tokenSha256))
                .findFirst();
    }

    @Override
    public synchronized List<StoredNode> list(Query query) {
        return rows.values().stream()
                .filter(row -> matches(query, row.node()))
                .filter(row -> row.retired().isEmpty() || !query.ids().isEmpty())
                .limit(query.limit())
                .map(this::toStoredNode)
                .toList();
    }

    private static boolean matches(Query query, NodeIdentity node) {
        return (query.chain().isEmpty() || node.chain().value().equals(query.chain()))
                && (query.type().isEmpty() || node.type().value().equals(query.type()))
                && (query.ids().isEmpty() || query.ids().contains(node.id()))
                && node.labels().entrySet().containsAll(query.labels().entrySet())
                && node.id().value().compareTo(query.after()) > 0;
    }

    private StoredNode toStoredNode(NodeRow row) {
        return new StoredNode(
                row.node(),
                row.inventory(),
                row.lastSeen(),
                listLiveGateways().containsKey(row.gatewayId()) ? row.gatewayId() : "",
                row.gatewayId(),
                row.retired(),
                block(row.node().id()),
                clock.instant());
    }

    @Override
    public synchronized void writeNodeUpdates(String gatewayId, Collection<NodeUpdate> sightings) {
        for (NodeUpdate sighting : sightings) {
            rows.computeIfPresent(
                    sighting.node(), (_, row) -> applyUpdate(row, gatewayId, sighting));
        }
    }

    private static NodeRow applyUpdate(NodeRow row, String gatewayId, NodeUpdate sighting) {
        boolean elsewhere = !row.gatewayId().isEmpty() && !row.gatewayId().equals(gatewayId);
        if (elsewhere && !sighting.connected()) {
            return row;
        }
        return new NodeRow(
                row.node(),
                row.token(),
                sighting.inventory(),
                row.lastSeen(),
                sighting.connected() ? gatewayId : "",
                row.retired());
    }

    @Override
    public synchronized void recordLastSeen(Map<NodeId, Duration> ago) {
        Instant now = clock.instant();
        ago.forEach(
                (node, age) ->
                        rows.computeIfPresent(node, (_, row) -> recordLastSeen(row, now, age)));
    }

    private static NodeRow recordLastSeen(NodeRow row, Instant now, Duration age) {
        Instant at = now.minus(age);
        Instant last = row.lastSeen().filter(at::isBefore).orElse(at);
        return new NodeRow(
                row.node(),
                row.token(),
                row.inventory(),
                Optional.of(last),
                row.gatewayId(),
                row.retired());
    }

    @Override
    public synchronized void releaseGatewayNodes(String gatewayId) {
        rows.replaceAll((_, row) -> row.gatewayId().equals(gatewayId) ? row.withoutGateway() : row);
    }

    @Override
    public synchronized void recordGatewayHeartbeat(String gatewayId, String address) {
        gateways.put(gatewayId, new GatewayRow(address, clock.instant()));
    }

    @Override
    public synchronized void removeGateway(String gatewayId) {
        gateways.remove(gatewayId);
    }

    @Override
    public synchronized Map<String, String> listLiveGateways() {
        Instant oldest = clock.instant().minus(GATEWAY_TIMEOUT);
        Map<String, String> alive = new TreeMap<>();
        gateways.forEach(
                (id, row) -> {
                    if (row.seenAt().isAfter(oldest)) {
                        alive.put(id, row.address());
                    }
                });
        return alive;
    }
}
