package drover.coordinator.store.node;

import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Requests about nodes in PostgreSQL, behind the leader's fence. */
public final class PostgresLeaderOperatorNodeRequestStore
        implements LeaderOperatorNodeRequestStore {
    private final Database database;
    private final Fence fence;

    public PostgresLeaderOperatorNodeRequestStore(Database database, Fence fence) {
        this.database = database;
        this.fence = fence;
    }

    @Override
    public List<PendingNodeRequest> findPending() {
        return database.read(
                "looking for requests about nodes",
                handle ->
                        handle.createQuery(
                                        "SELECT q.*, a.body FROM node_request q LEFT JOIN node_attempt a"
                                                + " ON a.node_id = q.node_id AND a.attempt = q.attempt"
                                                + " WHERE q.state = 'pending'"
                                                + " ORDER BY q.created_at, q.id LIMIT 1000")
                                .map((row, context) -> readPendingRequest(row))
                                .list());
    }

    @Override
    public Map<NodeId, Instant> findRetiredSince(Instant since) {
        return database.read(
                "looking for nodes that were retired",
                handle -> {
                    Map<NodeId, Instant> retired = new HashMap<>();
                    handle.createQuery(
                                    "SELECT node_id, max(decided_at) AS at FROM node_request"
                                            + " WHERE kind = 'retire' AND state = 'applied'"
                                            + " AND decided_at >= :since GROUP BY node_id")
                            .bind("since", since.atOffset(ZoneOffset.UTC))
                            .map(
                                    (row, context) ->
                                            Map.entry(
                                                    new NodeId(row.getString("node_id")),
                                                    row.getObject("at", OffsetDateTime.class)
                                                            .toInstant()))
                            .forEach(entry -> retired.put(entry.getKey(), entry.getValue()));
                    return retired;
                });
    }

    private static PendingNodeRequest readPendingRequest(ResultSet row) throws SQLException {
        return new PendingNodeRequest(
                UUID.fromString(row.getString("id")),
                new NodeId(row.getString("node_id")),
                OperatorNodeRequest.of(row.getString("kind")),
                row.getString("actor"),
                row.getString("reason"),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                row.getLong("attempt"),
                row.getBytes("body"));
    }

    @Override
    public WriteResult assignClear(
            long epoch, PendingNodeRequest request, long attempt, byte[] body) {
        return fence.write(
                "allotting the clear of node " + request.node(),
                epoch,
                WriteResult.STALE_EPOCH,
                handle -> assignClear(handle, epoch, request, attempt, body));
    }

    /** The index of open attempts and the counter of the node decide, not what was read before. */
    private static WriteResult assignClear(
            Handle handle, long epoch, PendingNodeRequest request, long attempt, byte[] body) {
        int counted =
                handle.createUpdate(
                                "INSERT INTO node_guard (node_id, last_attempt) VALUES (:node, :attempt)"
                                        + " ON CONFLICT (node_id) DO UPDATE SET last_attempt = excluded.last_attempt"
                                        + " WHERE node_guard.last_attempt < excluded.last_attempt")
                        .bind("node", request.node().value())
                        .bind("attempt", attempt)
                        .execute();
        int opened =
                handle.createUpdate(
                                "INSERT INTO node_attempt (node_id, attempt, restore_of, body, body_digest,"
                                        + " open, epoch) VALUES (:node, :attempt, 0, :body, :digest, true, :epoch)"
                                        + " ON CONFLICT DO NOTHING")
                        .bind("node", request.node().value())
                        .bind("attempt", attempt)
                        .bind("body", body)
                        .bind("digest", Digest.of(body).value())
                        .bind("epoch", epoch)
                        .execute();
        int started =
                handle.createUpdate(
                                "UPDATE node_request SET attempt = :attempt"
                                        + " WHERE id = :id AND state = 'pending' AND attempt = 0")
                        .bind("attempt", attempt)
                        .bind("id", request.id())
                        .execute();
        if (counted + opened + started != 3) {
            handle.rollback();
            return WriteResult.CONFLICT;
        }
        return WriteResult.DONE;
    }

    @Override
    public RetireResult retireNode(long epoch, PendingNodeRequest request, Instant at) {
        return fence.write(
                "retiring node " + request.node(),
                epoch,
                new RetireResult.StaleEpoch(),
                handle -> new RetiredNodeAttemptCloseSql(handle, epoch, request, at).run());
    }

    @Override
    public WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence) {
        return fence.write(
                "refusing a request about a node",
                epoch,
                WriteResult.STALE_EPOCH,
                handle -> {
                    writeDecision(handle, request, code.name(), sentence);
                    return WriteResult.DONE;
                });
    }

    /** An empty code applies the request. */
    static void writeDecision(Handle handle, UUID request, String code, String sentence) {
        handle.createUpdate(
                        "UPDATE node_request SET state = :state, refusal_code = :code,"
                                + " refusal_sentence = :sentence, decided_at = now()"
                                + " WHERE id = :id AND state = 'pending'")
                .bind("state", code.isEmpty() ? "applied" : "refused")
                .bind("code", code)
                .bind("sentence", sentence)
                .bind("id", request)
                .execute();
    }
}
