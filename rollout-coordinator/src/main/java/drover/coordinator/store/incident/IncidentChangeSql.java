package drover.coordinator.store.incident;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.store.incident.IncidentEventSql.ChangedIncident;
import drover.coordinator.store.rollout.HistorySql;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Opens and closes incidents inside the transaction of whatever they tell of, behind the fence. A
 * person's word is never overwritten.
 */
public final class IncidentChangeSql {
    private final Handle handle;
    private final Instant at;

    public IncidentChangeSql(Handle handle, Instant at) {
        this.handle = handle;
        this.at = at;
    }

    public void write(List<? extends IncidentChange> changes) {
        if (changes.isEmpty()) {
            return;
        }
        HistorySql.lockAppends(handle);
        Set<String> nodes = findNodesWithIncidents(changes);
        List<ChangedIncident> events = new ArrayList<>();
        for (IncidentChange change : changes) {
            switch (change) {
                case IncidentChange.Open open -> {
                    nodes.add(open.node().value());
                    openIncidentUnlessOpen(open)
                            .ifPresentOrElse(events::add, () -> updateCause(open));
                }
                case IncidentChange.CloseMatching close -> {
                    if (close.node() == null || nodes.contains(close.node().value())) {
                        events.addAll(closeMatching(close));
                    }
                }
            }
        }
        IncidentEventSql.insertEvents(handle, events, at);
    }

    /**
     * The nodes to close incidents of that have any. Each success closes those of its node, and
     * almost no node has one: one query for all instead of one for each.
     */
    private Set<String> findNodesWithIncidents(List<? extends IncidentChange> changes) {
        List<String> concerned = new ArrayList<>();
        for (IncidentChange change : changes) {
            if (change instanceof IncidentChange.CloseMatching close && close.node() != null) {
                concerned.add(close.node().value());
            }
        }
        if (concerned.isEmpty()) {
            return new HashSet<>();
        }
        return new HashSet<>(
                handle.createQuery(
                                "SELECT DISTINCT node_id FROM incident"
                                        + " WHERE standing AND node_id = ANY(:nodes::text[])")
                        .bindArray("nodes", String.class, concerned)
                        .mapTo(String.class)
                        .list());
    }

    private Optional<ChangedIncident> openIncidentUnlessOpen(IncidentChange.Open open) {
        if (!open.category().isOpenWhileReported()) {
            closeEarlierResolved(
                    open); // a step happens once: what a person resolved before was another time
        }
        RolloutId rollout = open.rollout();
        return handle.createQuery(
                        "INSERT INTO incident AS i (category, severity, node_id, rollout_id, code,"
                                + " sentence, recovery_plan, opened_at) VALUES (:category, :severity,"
                                + " :node, :rollout::uuid, :code, :sentence, :plan, :at)"
                                + " ON CONFLICT DO NOTHING RETURNING "
                                + IncidentEventSql.COLUMNS)
                .bind("category", columnValue(open.category()))
                .bind("severity", columnValue(open.severity()))
                .bind("node", open.node().value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .bind("code", open.because().code())
                .bind("sentence", open.because().sentence())
                .bind("plan", open.recoveryPlan())
                .bind("at", at.atOffset(ZoneOffset.UTC))
                .map((row, context) -> IncidentEventSql.readOpened(row))
                .findOne();
    }

    /**
     * The agent may report another cause by now, for example after one of two files is repaired.
     */
    private void updateCause(IncidentChange.Open open) {
        if (!open.category().isOpenWhileReported()) {
            return;
        }
        RolloutId rollout = open.rollout();
        handle.createUpdate(
                        "UPDATE incident SET code = :code, sentence = :sentence WHERE standing"
                                + " AND category = :category AND node_id = :node"
                                + " AND rollout_id IS NOT DISTINCT FROM :rollout::uuid")
                .bind("code", open.because().code())
                .bind("sentence", open.because().sentence())
                .bind("category", columnValue(open.category()))
                .bind("node", open.node().value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .execute();
    }

    private void closeEarlierResolved(IncidentChange.Open open) {
        RolloutId rollout = open.rollout();
        handle.createUpdate(
                        "UPDATE incident SET standing = false WHERE standing AND state = 'resolved'"
                                + " AND category = :category AND node_id = :node"
                                + " AND rollout_id IS NOT DISTINCT FROM :rollout::uuid")
                .bind("category", columnValue(open.category()))
                .bind("node", open.node().value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .execute();
    }

    private List<ChangedIncident> closeMatching(IncidentChange.CloseMatching close) {
        return closeMatching(
                close.categories(),
                close.codes(),
                close.node(),
                close.rollout(),
                close.program(),
                close.because().sentence());
    }

    /** Everything of a node that is out of service. */
    public void closeAllOfNode(NodeId node, String sentence) {
        HistorySql.lockAppends(handle);
        List<ChangedIncident> closed =
                closeMatching(
                        Set.of(IncidentCategory.values()), Set.of(), node, null, null, sentence);
        IncidentEventSql.insertEvents(handle, closed, at);
    }

    /** Returns those that no operator had resolved before. */
    private List<ChangedIncident> closeMatching(
            Set<IncidentCategory> categories,
            Set<String> codes,
            @Nullable NodeId node,
            @Nullable RolloutId rollout,
            @Nullable BinaryName program,
            String sentence) {
        return handle
                .createQuery(
                        "WITH open AS (SELECT id, state AS was FROM incident"
                                + " WHERE standing AND category = ANY(:categories::text[])"
                                + " AND (:anyCode OR code = ANY(:codes::text[]))"
                                + " AND (:node::text IS NULL OR node_id = :node)"
                                + " AND (:rollout::uuid IS NULL OR rollout_id = :rollout::uuid)"
                                + " AND (:program::text IS NULL OR EXISTS (SELECT 1 FROM rollout r"
                                + " WHERE r.id = rollout_id AND r.binary_name = :program))"
                                + " FOR UPDATE)"
                                + " UPDATE incident i SET standing = false,"
                                + " resolved_by = CASE was WHEN 'resolved' THEN resolved_by"
                                + " ELSE 'drover' END,"
                                + " resolved_at = CASE was WHEN 'resolved' THEN resolved_at"
                                + " ELSE :at END,"
                                + " resolution = CASE was WHEN 'resolved' THEN resolution"
                                + " ELSE :sentence END, state = 'resolved'"
                                + " FROM open WHERE open.id = i.id RETURNING was, "
                                + IncidentEventSql.COLUMNS)
                .bindArray(
                        "categories",
                        String.class,
                        categories.stream().map(IncidentChangeSql::columnValue).toList())
                .bind("anyCode", codes.isEmpty())
                .bindArray("codes", String.class, List.copyOf(codes))
                .bind("node", node == null ? null : node.value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .bind("program", program == null ? null : program.value())
                .bind("at", at.atOffset(ZoneOffset.UTC))
                .bind("sentence", sentence)
                .map((row, context) -> IncidentEventSql.readResolved(row))
                .list()
                .stream()
                .filter(incident -> !incident.from().equals("resolved"))
                .toList();
    }

    static String columnValue(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
