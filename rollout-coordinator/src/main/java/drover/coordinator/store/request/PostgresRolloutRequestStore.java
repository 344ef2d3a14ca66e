package drover.coordinator.store.request;

import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.sql.Database;
import drover.model.RolloutId;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Requests in PostgreSQL. Inserting one wakes the leader. */
public final class PostgresRolloutRequestStore implements RolloutRequestStore {
    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresRolloutRequestStore(Database database) {
        this.database = database;
    }

    @Override
    public SubmitResult submitRequest(
            RolloutId id, OperatorRequest request, String actor, String key, String reason) {
        return database.write(
                "writing a request down",
                handle -> {
                    boolean exists =
                            handle.createQuery("SELECT 1 FROM rollout WHERE id = :id")
                                    .bind("id", UUID.fromString(id.value()))
                                    .mapTo(Integer.class)
                                    .findOne()
                                    .isPresent();
                    return exists
                            ? insert(handle, id, request, actor, key, reason)
                            : new SubmitResult.NoRollout();
                });
    }

    private static SubmitResult insert(
            Handle handle,
            RolloutId id,
            OperatorRequest request,
            String actor,
            String key,
            String reason) {
        UUID requestId = UUID.randomUUID();
        Instant until = RequestParameterColumns.holdUntil(request);
        int written =
                handle.createUpdate(
                                "INSERT INTO operator_request (id, rollout_id, actor, idempotency_key, kind,"
                                        + " node_id, node_ids, acknowledged, reason, hold_until, evidence,"
                                        + " rollback_health) VALUES (:id,"
                                        + " :rollout, :actor, :key, :kind, :node, :nodes::text[], :acknowledged, :reason,"
                                        + " :until, :evidence, :health)"
                                        + " ON CONFLICT (actor, idempotency_key) DO NOTHING")
                        .bind("id", requestId)
                        .bind("rollout", UUID.fromString(id.value()))
                        .bind("actor", actor)
                        .bind("key", key)
                        .bind("kind", RequestParameterColumns.kind(request))
                        .bind("node", RequestParameterColumns.node(request))
                        .bindArray("nodes", String.class, RequestParameterColumns.nodes(request))
                        .bind("acknowledged", RequestParameterColumns.acknowledgedFailures(request))
                        .bind("reason", reason)
                        .bind("evidence", RequestParameterColumns.evidence(request))
                        .bind("health", RequestParameterColumns.rollbackHealth(request))
                        .bind("until", until == null ? null : until.atOffset(ZoneOffset.UTC))
                        .execute();
        return written == 1
                ? new SubmitResult.WrittenNowOrEarlier(requestId)
                : findEarlierRequest(handle, id, request, actor, key);
    }

    private static SubmitResult findEarlierRequest(
            Handle handle, RolloutId id, OperatorRequest request, String actor, String key) {
        Map<String, Object> row =
                handle.createQuery(
                                "SELECT id::text, rollout_id::text AS rollout, kind, node_id, acknowledged,"
                                        + " node_ids = :nodes::text[] AS same_nodes,"
                                        + " evidence, rollback_health FROM operator_request WHERE actor = :actor AND idempotency_key = :key")
                        .bind("actor", actor)
                        .bind("key", key)
                        .bindArray("nodes", String.class, RequestParameterColumns.nodes(request))
                        .mapToMap()
                        .one();
        boolean same =
                id.value().equals(row.get("rollout"))
                        && RequestParameterColumns.kind(request).equals(row.get("kind"))
                        && RequestParameterColumns.node(request).equals(row.get("node_id"))
                        && Boolean.TRUE.equals(row.get("same_nodes"))
                        && RequestParameterColumns.evidence(request).equals(row.get("evidence"))
                        && RequestParameterColumns.rollbackHealth(request)
                                .equals(row.get("rollback_health"))
                        && Integer.valueOf(RequestParameterColumns.acknowledgedFailures(request))
                                .equals(row.get("acknowledged"));
        return same
                ? new SubmitResult.WrittenNowOrEarlier(UUID.fromString((String) row.get("id")))
                : new SubmitResult.KeyReused();
    }

    @Override
    public boolean isPruned(RolloutId id) {
        return database.read(
                "looking whether a rollout is past",
                handle ->
                        handle.createQuery(
                                        "SELECT 1 FROM rollout WHERE id = :id"
                                                + " AND pruned_at IS NOT NULL")
                                .bind("id", UUID.fromString(id.value()))
                                .mapTo(Integer.class)
                                .findOne()
                                .isPresent());
    }

    @Override
    public Optional<RequestStatus> requestStatus(UUID id) {
        return database.read(
                "looking at a request",
                handle ->
                        handle.createQuery(
                                        "SELECT state, refusal_code, refusal_sentence FROM operator_request"
                                                + " WHERE id = :id")
                                .bind("id", id)
                                .map(
                                        (row, context) ->
                                                new RequestStatus(
                                                        row.getString(1),
                                                        row.getString(2),
                                                        row.getString(3)))
                                .findOne());
    }
}
