package drover.coordinator.store.node;

import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.incident.IncidentChangeSql;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.PendingNodeRequest;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.RetireResult;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.HistorySql;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Closes the open attempt of a node that will not come back (R1: an operator decides because the
 * agent cannot report), adds an entry to the history of its rollout, and closes the request. The
 * mark of a failed restore and the attempts so far concern the retired machine alone, not another
 * one that is registered under its name.
 */
final class RetiredNodeAttemptCloseSql {
    private static final String LOST = "LOST";

    private final Handle handle;
    private final long epoch;
    private final PendingNodeRequest request;
    private final Instant at;

    RetiredNodeAttemptCloseSql(Handle handle, long epoch, PendingNodeRequest request, Instant at) {
        this.handle = handle;
        this.epoch = epoch;
        this.request = request;
        this.at = at;
    }

    /**
     * The open attempt.
     *
     * @param rollout null for a clear
     * @param restoreOf 0 for an upgrade
     */
    private record OpenAttemptRow(long attempt, @Nullable UUID rollout, long restoreOf) {}

    RetireResult run() {
        Optional<OpenAttemptRow> open = findOpenAttempt();
        if (open.isPresent()) {
            UUID rollout = open.get().rollout();
            if (rollout != null && !tryCloseAttemptInRollout(open.get(), rollout)) {
                return new RetireResult.InFlight();
            }
            closeAttempt(open.get());
        }
        refuseClears();
        retireMachine();
        new IncidentChangeSql(handle, at).closeAllOfNode(request.node(), "The node is retired.");
        PostgresLeaderOperatorNodeRequestStore.writeDecision(handle, request.id(), "", "");
        return new RetireResult.Done(open.map(OpenAttemptRow::attempt).orElse(0L));
    }

    private Optional<OpenAttemptRow> findOpenAttempt() {
        return handle.createQuery(
                        "SELECT attempt, rollout_id::text, restore_of FROM node_attempt"
                                + " WHERE node_id = :node AND open")
                .bind("node", request.node().value())
                .map(
                        (row, context) -> {
                            String rollout = row.getString(2);
                            return new OpenAttemptRow(
                                    row.getLong(1),
                                    rollout == null ? null : UUID.fromString(rollout),
                                    row.getLong(3));
                        })
                .findOne();
    }

    /**
     * False while the rollout's own loop counts on the attempt: nobody else decides of it then
     * (rule R4). The rollout's row is locked first, as every commit does, and its revision grows,
     * so that the loop loads it again. What nobody proved may have touched the node: a rollback
     * does not call it back (invariant A13), unless an operator skipped it.
     */
    private boolean tryCloseAttemptInRollout(OpenAttemptRow open, UUID rollout) {
        String head =
                handle.createQuery("SELECT history_head FROM rollout WHERE id = :id FOR UPDATE")
                        .bind("id", rollout)
                        .mapTo(String.class)
                        .one();
        int given =
                handle.createUpdate(
                                "UPDATE rollout_node n SET attempt_open = false, updated_at = now(),"
                                        + " installed_by = CASE WHEN n.installed_by = 0"
                                        + " AND :restoreOf = 0 AND n.state ->> 'status' <> 'skipped'"
                                        + " THEN n.attempt ELSE n.installed_by END"
                                        + " FROM rollout r WHERE r.id = n.rollout_id AND n.rollout_id = :rollout"
                                        + " AND n.node_id = :node AND n.attempt = :attempt"
                                        + " AND (r.finished_at IS NOT NULL OR n.state ->> 'status' NOT IN"
                                        + " ('assigned', 'upgrading', 'settling', 'observed', 'restoring', 'restored'))")
                        .bind("rollout", rollout)
                        .bind("node", request.node().value())
                        .bind("attempt", open.attempt())
                        .bind("restoreOf", open.restoreOf())
                        .execute();
        if (given == 0) {
            return false;
        }
        handle.createUpdate(
                        "UPDATE rollout SET history_head = :head, revision = revision + 1,"
                                + " epoch = :epoch WHERE id = :id")
                .bind("head", HistorySql.append(handle, rollout, head, List.of(lostAttemptEntry())))
                .bind("epoch", epoch)
                .bind("id", rollout)
                .execute();
        return true;
    }

    private HistoryEntry lostAttemptEntry() {
        Cause because =
                new Cause(
                        "RETIRED",
                        "An operator retired the node; its attempt is closed as lost. Reason: "
                                + request.reason());
        String node = request.node().value();
        return new HistoryEntry(at, epoch, request.actor(), "node", node, "open", LOST, because);
    }

    private void closeAttempt(OpenAttemptRow open) {
        handle.createUpdate(
                        "UPDATE node_attempt SET open = false, outcome = :lost, closed_at = now()"
                                + " WHERE node_id = :node AND attempt = :attempt")
                .bind("lost", LOST)
                .bind("node", request.node().value())
                .bind("attempt", open.attempt())
                .execute();
    }

    private void retireMachine() {
        handle.createUpdate(
                        "UPDATE node_guard SET failed_rollback = false,"
                                + " retired_attempt = last_attempt WHERE node_id = :node")
                .bind("node", request.node().value())
                .execute();
    }

    /** Nobody is there any more who could answer them. */
    private void refuseClears() {
        handle.createUpdate(
                        "UPDATE node_request SET state = 'refused', refusal_code = :code,"
                                + " refusal_sentence = 'The node was retired meanwhile.',"
                                + " decided_at = now() WHERE node_id = :node AND kind = 'clear'"
                                + " AND state = 'pending'")
                .bind("code", RefusalCode.NODE_OFFLINE.name())
                .bind("node", request.node().value())
                .execute();
    }
}
