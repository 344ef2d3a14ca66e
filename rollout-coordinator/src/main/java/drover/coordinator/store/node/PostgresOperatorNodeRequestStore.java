package drover.coordinator.store.node;

import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.sql.Database;
import drover.model.NodeId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Requests about nodes in PostgreSQL. Inserting one wakes the leader. */
public final class PostgresOperatorNodeRequestStore implements OperatorNodeRequestStore {
    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresOperatorNodeRequestStore(Database database) {
        this.database = database;
    }

    @Override
    public SubmitResult submitRequest(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason) {
        return database.write(
                "writing a request about a node down",
                handle -> insert(handle, node, request, actor, key, reason));
    }

    @Override
    public SubmitResult recordCompletedRequest(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason) {
        return database.write(
                "writing down what was done to a node",
                handle -> {
                    SubmitResult placed = insert(handle, node, request, actor, key, reason);
                    if (placed instanceof SubmitResult.WrittenNowOrEarlier(UUID id)) {
                        PostgresLeaderOperatorNodeRequestStore.writeDecision(handle, id, "", "");
                    }
                    return placed;
                });
    }

    private static SubmitResult insert(
            Handle handle,
            NodeId node,
            OperatorNodeRequest request,
            String actor,
            String key,
            String reason) {
        UUID id = UUID.randomUUID();
        int written =
                handle.createUpdate(
                                "INSERT INTO node_request (id, node_id, actor, idempotency_key, kind, reason)"
                                        + " VALUES (:id, :node, :actor, :key, :kind, :reason)"
                                        + " ON CONFLICT (actor, idempotency_key) DO NOTHING")
                        .bind("id", id)
                        .bind("node", node.value())
                        .bind("actor", actor)
                        .bind("key", key)
                        .bind("kind", columnValue(request))
                        .bind("reason", reason)
                        .execute();
        return written == 1
                ? new SubmitResult.WrittenNowOrEarlier(id)
                : findEarlierRequest(handle, node, request, actor, key);
    }

    private static SubmitResult findEarlierRequest(
            Handle handle, NodeId node, OperatorNodeRequest request, String actor, String key) {
        Map<String, Object> row =
                handle.createQuery(
                                "SELECT id::text, node_id, kind FROM node_request"
                                        + " WHERE actor = :actor AND idempotency_key = :key")
                        .bind("actor", actor)
                        .bind("key", key)
                        .mapToMap()
                        .one();
        boolean same =
                node.value().equals(row.get("node_id"))
                        && columnValue(request).equals(row.get("kind"));
        return same
                ? new SubmitResult.WrittenNowOrEarlier(UUID.fromString((String) row.get("id")))
                : new SubmitResult.KeyReused();
    }

    private static String columnValue(OperatorNodeRequest request) {
        return request.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Optional<RequestStatus> requestStatus(UUID id) {
        return database.read(
                "looking at a request about a node",
                handle ->
                        handle.createQuery(
                                        "SELECT state, refusal_code, refusal_sentence FROM node_request"
                                                + " WHERE id = :id")
                                .bind("id", id)
                                .map((row, context) -> readRequestStatus(row))
                                .findOne());
    }

    private static RequestStatus readRequestStatus(ResultSet row) throws SQLException {
        return new RequestStatus(
                row.getString("state"),
                row.getString("refusal_code"),
                row.getString("refusal_sentence"));
    }

    @Override
    public List<RequestWithStatus> findByNode(NodeId node, int limit) {
        return database.read(
                "reading what was asked of a node",
                handle ->
                        handle.createQuery(
                                        "SELECT *, coalesce(decided_at, created_at) AS at FROM node_request"
                                                + " WHERE node_id = :node ORDER BY created_at DESC LIMIT :limit")
                                .bind("node", node.value())
                                .bind("limit", limit)
                                .map((row, context) -> readDecidedRequest(row))
                                .list());
    }

    private static RequestWithStatus readDecidedRequest(ResultSet row) throws SQLException {
        return new RequestWithStatus(
                row.getObject("at", OffsetDateTime.class).toInstant(),
                OperatorNodeRequest.of(row.getString("kind")),
                row.getString("actor"),
                row.getString("reason"),
                readRequestStatus(row));
    }
}
