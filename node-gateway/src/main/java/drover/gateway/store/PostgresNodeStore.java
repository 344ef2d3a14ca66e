package drover.gateway.store;

import drover.gateway.session.NodeIdentity;
import drover.kit.database.SchemaMigration;
import drover.model.Digest;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;

/** Nodes and gateways in the schema {@code gateway} of PostgreSQL 15 or later. */
public final class PostgresNodeStore implements NodeStore {
    private final GatewayTransactionRunner database;

    private PostgresNodeStore(GatewayTransactionRunner database) {
        this.database = database;
    }

    /** Brings the schema up to date and opens it. */
    public static PostgresNodeStore migrateAndOpen(DataSource database) {
        try {
            SchemaMigration.migrateToLatest(database, "gateway", "schema_history");
        } catch (FlywayException e) {
            throw new StoreUnavailable("bring its schema up to date", e);
        }
        return new PostgresNodeStore(new GatewayTransactionRunner(database));
    }

    @Override
    public NodeRegistrationResult register(NodeIdentity node, Digest tokenSha256) {
        return database.inTransaction(
                "register a node", handle -> register(handle, node, tokenSha256));
    }

    private static NodeRegistrationResult register(Handle handle, NodeIdentity node, Digest token) {
        prepareRegistration(handle, NodeSql.REGISTER, node).bind("token", token.value()).execute();
        Optional<StoredNode> present = find(handle, node.id());
        if (present.filter(found -> !sameChainAndType(found.node(), node)).isPresent()) {
            return new NodeRegistrationResult.ChainOrTypeConflict(present.get().node());
        }
        return present.filter(_ -> holdsToken(handle, node.id(), token))
                .<NodeRegistrationResult>map(NodeRegistrationResult.Registered::new)
                .orElseGet(() -> tokenRefusal(handle, token));
    }

    @Override
    public NodeRegistrationResult registerCertified(NodeIdentity node) {
        return database.inTransaction("register a node", handle -> registerCertified(handle, node));
    }

    private static NodeRegistrationResult registerCertified(Handle handle, NodeIdentity node) {
        prepareRegistration(handle, NodeSql.REGISTER_CERTIFIED, node).execute();
        StoredNode present = find(handle, node.id()).orElseThrow(); // never deleted
        return sameChainAndType(present.node(), node)
                ? new NodeRegistrationResult.Registered(present)
                : new NodeRegistrationResult.ChainOrTypeConflict(present.node());
    }

    private static Update prepareRegistration(Handle handle, String sql, NodeIdentity node) {
        return handle.createUpdate(sql)
                .bind("id", node.id().value())
                .bind("chain", node.chain().value())
                .bind("type", node.type().value())
                .bind("labels", GatewayRowReader.toJson(node.labels()));
    }

    private static NodeRegistrationResult tokenRefusal(Handle handle, Digest token) {
        boolean ended =
                handle.createQuery(NodeSql.IS_REVOKED)
                        .bind("token", token.value())
                        .mapTo(Boolean.class)
                        .one();
        return ended
                ? new NodeRegistrationResult.NodeTokenRevoked()
                : new NodeRegistrationResult.NodeTokenInUse();
    }

    private static boolean sameChainAndType(NodeIdentity one, NodeIdentity other) {
        return one.chain().equals(other.chain()) && one.type().equals(other.type());
    }

    private static boolean holdsToken(Handle handle, NodeId node, Digest token) {
        return handle.createQuery(NodeSql.HOLDS_TOKEN)
                        .bind("id", node.value())
                        .bind("token", token.value())
                        .mapTo(Integer.class)
                        .one()
                > 0;
    }

    @Override
    public RetirementResult retire(NodeId node) {
        return database.inTransaction("retire a node", handle -> retire(handle, node));
    }

    private static RetirementResult retire(Handle handle, NodeId node) {
        int retired =
                handle.createUpdate(NodeSql.RETIRE)
                        .bind("id", node.value())
                        .bind("life", GATEWAY_TIMEOUT.toSeconds())
                        .execute();
        if (retired > 0) {
            int _ = PostgresCertificateStore.endCertificates(handle, node, Long.MAX_VALUE);
        }
        return find(handle, node)
                .map(
                        found ->
                                found.retiredAt().isPresent()
                                        ? new RetirementResult.Retired(found)
                                        : new RetirementResult.Online(found.gatewayId()))
                .orElseGet(RetirementResult.NoNode::new);
    }

    private static Optional<StoredNode> find(Handle handle, NodeId id) {
        return handle.createQuery(NodeSql.FIND)
                .bind("id", id.value())
                .bind("life", GATEWAY_TIMEOUT.toSeconds())
                .map((row, _) -> GatewayRowReader.readStoredNode(row))
                .findOne();
    }

    @Override
    public Optional<NodeTokenOwner> findTokenOwner(Digest tokenSha256) {
        return database.inTransaction(
                "look up a token",
                handle ->
                        handle.createQuery(NodeSql.CREDENTIAL)
                                .bind("token", tokenSha256.value())
                                .map((row, _) -> GatewayRowReader.readTokenOwner(row))
                                .findOne());
    }

    @Override
    public List<StoredNode> list(Query query) {
        return database.inTransaction(
                "list nodes",
                handle ->
                        handle.createQuery(NodeSql.LIST)
                                .bind("chain", query.chain())
                                .bind("type", query.type())
                                .bindArray("ids", String.class, toTexts(query.ids()))
                                .bind("labels", GatewayRowReader.toJson(query.labels()))
                                .bind("after", query.after())
                                .bind("limit", query.limit())
                                .bind("life", GATEWAY_TIMEOUT.toSeconds())
                                .map((row, _) -> GatewayRowReader.readStoredNode(row))
                                .list());
    }

    /** Rows that would not change are not written: most nodes connect as they left. */
    @Override
    public void writeNodeUpdates(String gatewayId, Collection<NodeUpdate> sightings) {
        if (sightings.isEmpty()) {
            return;
        }
        List<NodeUpdate> all = List.copyOf(sightings);
        database.inTransaction(
                "write inventories",
                handle ->
                        handle.createUpdate(NodeSql.RECORD)
                                .bind("gateway", gatewayId)
                                .bindArray("ids", String.class, toTexts(all, s -> s.node().value()))
                                .bindArray(
                                        "connected",
                                        Boolean.class,
                                        all.stream().map(NodeUpdate::connected).toList())
                                .bindArray(
                                        "inventories",
                                        String.class,
                                        toTexts(all, s -> GatewayRowReader.toJson(s.inventory())))
                                .execute());
    }

    @Override
    public void recordLastSeen(Map<NodeId, Duration> ago) {
        if (ago.isEmpty()) {
            return;
        }
        List<Map.Entry<NodeId, Duration>> entries = List.copyOf(ago.entrySet());
        database.inTransaction(
                "write when nodes were heard of",
                handle ->
                        handle.createUpdate(NodeSql.LAST_SEEN)
                                .bindArray(
                                        "ids",
                                        String.class,
                                        entries.stream().map(e -> e.getKey().value()).toList())
                                .bindArray(
                                        "agos",
                                        Long.class,
                                        entries.stream().map(e -> e.getValue().toMillis()).toList())
                                .execute());
    }

    @Override
    public void releaseGatewayNodes(String gatewayId) {
        database.inTransactionRetryingDeadlocks( // other gateways write some of these rows in an
                // order of
                // their own
                "say that the gateway holds no node yet",
                handle ->
                        handle.createUpdate(NodeSql.GATEWAY_STARTED)
                                .bind("id", gatewayId)
                                .execute());
    }

    @Override
    public void recordGatewayHeartbeat(String gatewayId, String address) {
        database.inTransaction(
                "say that the gateway is alive",
                handle ->
                        handle.createUpdate(NodeSql.GATEWAY_HEARTBEAT)
                                .bind("id", gatewayId)
                                .bind("address", address)
                                .execute());
    }

    @Override
    public void removeGateway(String gatewayId) {
        database.inTransaction(
                "say that the gateway goes away",
                handle -> handle.execute("DELETE FROM gateway.gateway WHERE id = ?", gatewayId));
    }

    @Override
    public Map<String, String> listLiveGateways() {
        return database.inTransaction(
                "list gateways",
                handle -> {
                    Map<String, String> alive = new TreeMap<>();
                    handle.createQuery(NodeSql.GATEWAYS)
                            .bind("life", GATEWAY_TIMEOUT.toSeconds())
                            .mapToMap(String.class)
                            .forEach(row -> alive.put(row.get("id"), row.get("address")));
                    return alive;
                });
    }

    private static List<String> toTexts(List<NodeId> ids) {
        return ids.stream().map(NodeId::value).toList();
    }

    private static List<String> toTexts(
            List<NodeUpdate> sightings, Function<NodeUpdate, String> column) {
        return sightings.stream().map(column).toList();
    }
}
