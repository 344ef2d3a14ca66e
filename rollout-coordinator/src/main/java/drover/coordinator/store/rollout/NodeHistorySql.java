package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.rollout.NodeHistory.Attempt;
import drover.coordinator.store.rollout.NodeHistory.NodeInRollout;
import drover.coordinator.store.rollout.NodeHistory.SubmittedRequest;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Reads what is kept of one node. */
final class NodeHistorySql {
    private static final int LATEST = 20; // rollouts, attempts, requests: a screen of each

    private final Handle handle;
    private final String node;
    private final OffsetDateTime until;

    NodeHistorySql(Handle handle, String node, Instant until) {
        this.handle = handle;
        this.node = node;
        this.until = until.atOffset(ZoneOffset.UTC);
    }

    NodeHistory read(int history) {
        return new NodeHistory(
                readRollouts(),
                readLastTransitions(),
                readHistory(history),
                readAttempts(),
                readRequests());
    }

    private Query query(String sql) {
        return handle.createQuery(sql).bind("node", node).bind("latest", LATEST);
    }

    private Query queryUntil(String sql) {
        return query(sql).bind("until", until);
    }

    private List<NodeInRollout> readRollouts() {
        return query(
                        "SELECT r.* FROM rollout r JOIN rollout_node n ON n.rollout_id = r.id"
                                + " WHERE n.node_id = :node ORDER BY r.created_at DESC LIMIT :latest")
                .map((row, context) -> RolloutReadSql.readRow(row))
                .list()
                .stream()
                .map(this::readNodeInRollout)
                .toList();
    }

    private NodeInRollout readNodeInRollout(RolloutReadSql.RolloutTableRow row) {
        NodeUpgrade own =
                handle.createQuery(
                                "SELECT * FROM rollout_node WHERE rollout_id = :rollout"
                                        + " AND node_id = :node")
                        .bind("rollout", UUID.fromString(row.id().value()))
                        .bind("node", node)
                        .map((columns, context) -> RolloutReadSql.readNode(columns))
                        .one();
        return new NodeInRollout(
                row.toRollout(
                        RolloutReadSql.readBatches(handle, row.id()),
                        Map.of(new NodeId(node), own)),
                row.facts().createdAt());
    }

    /** What an agent reported after a rollout's end is no move of the node within it. */
    private List<RolloutViews.NumberedHistoryEntry> readLastTransitions() {
        return queryUntil(
                        "SELECT * FROM (SELECT DISTINCT ON (rollout_id) * FROM history"
                                + " WHERE node_id = :node AND at <= :until AND from_status <> 'open'"
                                + " AND subject <> 'phase'"
                                + " ORDER BY rollout_id, seq DESC) last ORDER BY seq DESC LIMIT :latest")
                .map((row, context) -> HistorySql.readEntry(row))
                .list();
    }

    private List<RolloutViews.NumberedHistoryEntry> readHistory(int limit) {
        return queryUntil(
                        "SELECT * FROM history WHERE node_id = :node AND at <= :until"
                                + " ORDER BY seq DESC LIMIT :limit")
                .bind("limit", limit)
                .map((row, context) -> HistorySql.readEntry(row))
                .list();
    }

    private List<Attempt> readAttempts() {
        return queryUntil(
                        "SELECT attempt, rollout_id, restore_of, assigned_at,"
                                + " CASE WHEN closed_at <= :until OR closed_at IS NULL THEN outcome"
                                + " ELSE '' END AS outcome,"
                                + " CASE WHEN closed_at <= :until THEN closed_at END AS closed_at"
                                + " FROM node_attempt WHERE node_id = :node AND assigned_at <= :until"
                                + " ORDER BY attempt DESC LIMIT :latest")
                .map((row, context) -> readAttempt(row))
                .list();
    }

    private static Attempt readAttempt(ResultSet row) throws SQLException {
        String rollout = row.getString("rollout_id");
        return new Attempt(
                row.getLong("attempt"),
                rollout == null ? null : new RolloutId(rollout),
                row.getLong("restore_of"),
                row.getString("outcome"),
                row.getObject("assigned_at", OffsetDateTime.class).toInstant(),
                RolloutReadSql.readInstant(row, "closed_at"));
    }

    private List<SubmittedRequest> readRequests() {
        return queryUntil(
                        "SELECT created_at, actor, kind, reason, rollout_id,"
                                + " CASE WHEN decided_at <= :until THEN state ELSE 'pending' END AS state,"
                                + " CASE WHEN decided_at <= :until THEN refusal_sentence ELSE '' END"
                                + " AS refusal FROM operator_request"
                                + " WHERE (node_id = :node OR :node = ANY(node_ids))"
                                + " AND created_at <= :until ORDER BY created_at DESC LIMIT :latest")
                .map((row, context) -> readRequest(row))
                .list();
    }

    private static SubmittedRequest readRequest(ResultSet row) throws SQLException {
        return new SubmittedRequest(
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                row.getString("actor"),
                row.getString("kind"),
                row.getString("reason"),
                row.getString("state"),
                row.getString("refusal"),
                new RolloutId(row.getString("rollout_id")));
    }
}
