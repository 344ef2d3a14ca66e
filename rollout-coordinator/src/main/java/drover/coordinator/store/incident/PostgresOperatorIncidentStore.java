package drover.coordinator.store.incident;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.incident.IncidentEventSql.ChangedIncident;
import drover.coordinator.store.rollout.HistorySql;
import drover.coordinator.store.rollout.RolloutReadSql;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Incidents in PostgreSQL. */
public final class PostgresOperatorIncidentStore implements OperatorIncidentStore {
    private static final List<String> DEGRADING = categoryNames(IncidentCategory::degradesNode);
    private static final List<String> KNOWN = categoryNames(it -> it != IncidentCategory.UNKNOWN);

    private static final String RESOLVE =
            "WITH open AS (SELECT id, state AS was FROM incident"
                    + " WHERE id = :id AND state IN ('open', 'acknowledged') FOR UPDATE)"
                    + " UPDATE incident i SET state = 'resolved', resolved_by = :actor,"
                    + " resolved_at = now(), resolution = :note FROM open WHERE open.id = i.id"
                    + " RETURNING was, "
                    + IncidentEventSql.COLUMNS;

    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresOperatorIncidentStore(Database database) {
        this.database = database;
    }

    @Override
    public List<Incident> list(Query query) {
        State state = query.state();
        IncidentCategory category = query.category();
        RolloutId rollout = query.rollout();
        UUID after = query.after();
        return database.read(
                "listing incidents",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM incident WHERE (:state::text IS NULL OR state = :state)"
                                                + " AND (:category::text IS NULL OR category = :category)"
                                                + " AND (:node = '' OR node_id = :node)"
                                                + " AND (:rollout::uuid IS NULL OR rollout_id = :rollout::uuid)"
                                                + " AND (:after::uuid IS NULL OR (opened_at, id) <"
                                                + " (SELECT opened_at, id FROM incident WHERE id = :after::uuid))"
                                                + " ORDER BY opened_at DESC, id DESC LIMIT :limit")
                                .bind(
                                        "state",
                                        state == null ? null : IncidentChangeSql.columnValue(state))
                                .bind(
                                        "category",
                                        category == null
                                                ? null
                                                : IncidentChangeSql.columnValue(category))
                                .bind("node", query.node())
                                .bind("rollout", rollout == null ? null : rollout.value())
                                .bind("after", after == null ? null : after.toString())
                                .bind("limit", query.limit())
                                .map((row, context) -> readIncident(row))
                                .list());
    }

    @Override
    public Optional<Incident> find(UUID id) {
        return database.read("reading an incident", handle -> find(handle, id));
    }

    private static Optional<Incident> find(Handle handle, UUID id) {
        return handle.createQuery("SELECT * FROM incident WHERE id = :id")
                .bind("id", id)
                .map((row, context) -> readIncident(row))
                .findOne();
    }

    @Override
    public UpdateResult acknowledge(UUID id, String actor, String note) {
        return updateUnresolved(
                "acknowledging an incident",
                "UPDATE incident SET state = 'acknowledged', acknowledged_by = :actor,"
                        + " acknowledged_at = now(), note = :note"
                        + " WHERE id = :id AND state IN ('open', 'acknowledged')",
                id,
                actor,
                note);
    }

    @Override
    public UpdateResult resolve(UUID id, String actor, String note) {
        return database.write(
                "resolving an incident",
                handle -> {
                    HistorySql.lockAppends(handle);
                    Optional<ChangedIncident> resolved =
                            handle.createQuery(RESOLVE)
                                    .bind("id", id)
                                    .bind("actor", actor)
                                    .bind("note", note)
                                    .map((row, context) -> IncidentEventSql.readResolved(row))
                                    .findOne();
                    UpdateResult answered = toResult(handle, id, resolved.isPresent());
                    if (answered instanceof UpdateResult.Done(Incident incident)
                            && incident.resolved() != null) {
                        IncidentEventSql.insertEvents(
                                handle, resolved.stream().toList(), incident.resolved().at());
                    }
                    return answered;
                });
    }

    private UpdateResult updateUnresolved(
            String doing, String sql, UUID id, String actor, String note) {
        return database.write(
                doing,
                handle -> {
                    int written =
                            handle.createUpdate(sql)
                                    .bind("id", id)
                                    .bind("actor", actor)
                                    .bind("note", note)
                                    .execute();
                    return toResult(handle, id, written == 1);
                });
    }

    private static UpdateResult toResult(Handle handle, UUID id, boolean written) {
        Optional<Incident> now = find(handle, id);
        if (now.isEmpty()) {
            return new UpdateResult.NotFound();
        }
        return written
                ? new UpdateResult.Done(now.get())
                : new UpdateResult.AlreadyResolved(requireKnownState(now.get()));
    }

    private static Incident requireKnownState(Incident incident) {
        if (incident.state() == State.UNKNOWN) {
            throw new UnreadableRow(
                    "incident " + incident.id(),
                    new IllegalStateException("where it stands is not known here"));
        }
        return incident;
    }

    private static List<String> categoryNames(Predicate<IncidentCategory> which) {
        return Stream.of(IncidentCategory.values())
                .filter(which)
                .map(IncidentChangeSql::columnValue)
                .toList();
    }

    /** What is not known and worse than a warning degrades: it is never taken for well. */
    @Override
    public Map<NodeId, UnresolvedAndDegradingCounts> countUnresolvedByNode(
            Collection<NodeId> nodes) {
        return database.read(
                "counting incidents of nodes",
                handle -> {
                    Map<NodeId, UnresolvedAndDegradingCounts> found = new HashMap<>();
                    handle.createQuery(
                                    "SELECT node_id, count(*), count(*) FILTER (WHERE category ="
                                            + " ANY(:degrading::text[]) OR category <> ALL(:known::text[])"
                                            + " AND severity <> 'warning') FROM incident WHERE state <> 'resolved'"
                                            + " AND node_id = ANY(:nodes::text[]) GROUP BY node_id")
                            .bindArray("degrading", String.class, DEGRADING)
                            .bindArray("known", String.class, KNOWN)
                            .bindArray(
                                    "nodes",
                                    String.class,
                                    nodes.stream().map(NodeId::value).toList())
                            .map(
                                    (row, context) ->
                                            Map.entry(
                                                    new NodeId(row.getString(1)),
                                                    new UnresolvedAndDegradingCounts(
                                                            row.getInt(2), row.getInt(3))))
                            .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
                    return found;
                });
    }

    @Override
    public int countUnresolved(RolloutId rollout) {
        return database.read(
                "counting incidents of a rollout",
                handle ->
                        handle.createQuery(
                                        "SELECT count(*) FROM incident WHERE rollout_id = :id"
                                                + " AND state <> 'resolved'")
                                .bind("id", UUID.fromString(rollout.value()))
                                .mapTo(Integer.class)
                                .one());
    }

    private static Incident readIncident(ResultSet row) throws SQLException {
        String rollout = row.getString("rollout_id");
        return new Incident(
                UUID.fromString(row.getString("id")),
                IncidentCategory.of(row.getString("category")),
                IncidentSeverity.of(row.getString("severity")),
                State.of(row.getString("state")),
                new NodeId(row.getString("node_id")),
                rollout == null ? null : new RolloutId(rollout),
                new Cause(row.getString("code"), row.getString("sentence")),
                row.getString("recovery_plan"),
                row.getObject("opened_at", OffsetDateTime.class).toInstant(),
                readNote(row, "acknowledged", "note"),
                readNote(row, "resolved", "resolution"));
    }

    private static @Nullable Note readNote(ResultSet row, String what, String text)
            throws SQLException {
        Instant at = RolloutReadSql.readInstant(row, what + "_at");
        return at == null ? null : new Note(row.getString(what + "_by"), at, row.getString(text));
    }
}
