package drover.coordinator.store;

import drover.coordinator.plan.IncidentCategory;
import drover.coordinator.plan.IncidentChange;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Opens and closes incidents inside the transaction of whatever they tell of, behind the fence. A
 * person's word is never overwritten.
 */
final class IncidentSql {
    private final Handle handle;
    private final Instant at;

    IncidentSql(Handle handle, Instant at) {
        this.handle = handle;
        this.at = at;
    }

    void write(List<? extends IncidentChange> changes) {
        for (IncidentChange change : changes) {
            switch (change) {
                case IncidentChange.Open open -> open(open);
                case IncidentChange.Close close -> close(close);
            }
        }
    }

    private void open(IncidentChange.Open open) {
        if (!open.category().isNoticed()) {
            anew(open); // a step happens once: what a person resolved before was another time
        }
        RolloutId rollout = open.rollout();
        handle.createUpdate(
                        "INSERT INTO incident (category, severity, node_id, rollout_id, code,"
                                + " sentence, recovery_plan, opened_at) VALUES (:category, :severity,"
                                + " :node, :rollout::uuid, :code, :sentence, :plan, :at)"
                                + " ON CONFLICT DO NOTHING")
                .bind("category", word(open.category()))
                .bind("severity", word(open.severity()))
                .bind("node", open.node().value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .bind("code", open.because().code())
                .bind("sentence", open.because().sentence())
                .bind("plan", open.recoveryPlan())
                .bind("at", at.atOffset(ZoneOffset.UTC))
                .execute();
    }

    private void anew(IncidentChange.Open open) {
        RolloutId rollout = open.rollout();
        handle.createUpdate(
                        "UPDATE incident SET standing = false WHERE standing AND state = 'resolved'"
                                + " AND category = :category AND node_id = :node"
                                + " AND rollout_id IS NOT DISTINCT FROM :rollout::uuid")
                .bind("category", word(open.category()))
                .bind("node", open.node().value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .execute();
    }

    private void close(IncidentChange.Close close) {
        close(
                close.categories(),
                close.codes(),
                close.node(),
                close.rollout(),
                close.because().sentence());
    }

    /** Everything of a node that is out of service. */
    void closeAll(NodeId node, String sentence) {
        close(Set.of(IncidentCategory.values()), Set.of(), node, null, sentence);
    }

    private void close(
            Set<IncidentCategory> categories,
            Set<String> codes,
            @Nullable NodeId node,
            @Nullable RolloutId rollout,
            String sentence) {
        handle.createUpdate(
                        "UPDATE incident SET standing = false,"
                                + " resolved_by = CASE state WHEN 'resolved' THEN resolved_by"
                                + " ELSE 'drover' END,"
                                + " resolved_at = CASE state WHEN 'resolved' THEN resolved_at"
                                + " ELSE :at END,"
                                + " resolution = CASE state WHEN 'resolved' THEN resolution"
                                + " ELSE :sentence END, state = 'resolved'"
                                + " WHERE standing AND category = ANY(:categories::text[])"
                                + " AND (:anyCode OR code = ANY(:codes::text[]))"
                                + " AND (:node::text IS NULL OR node_id = :node)"
                                + " AND (:rollout::uuid IS NULL OR rollout_id = :rollout::uuid)")
                .bindArray(
                        "categories",
                        String.class,
                        categories.stream().map(IncidentSql::word).toList())
                .bind("anyCode", codes.isEmpty())
                .bindArray("codes", String.class, List.copyOf(codes))
                .bind("node", node == null ? null : node.value())
                .bind("rollout", rollout == null ? null : rollout.value())
                .bind("at", at.atOffset(ZoneOffset.UTC))
                .bind("sentence", sentence)
                .execute();
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
