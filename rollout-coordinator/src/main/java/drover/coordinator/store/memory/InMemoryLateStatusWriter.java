package drover.coordinator.store.memory;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.NodeClearingRules;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.memory.InMemoryTables.AttemptRow;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
import drover.coordinator.store.node.NodeClearResultSql;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A status that comes after the end of its rollout, taken in in memory as {@link
 * drover.coordinator.store.leader.EndedRolloutStatusSql} does.
 */
final class InMemoryLateStatusWriter {
    private final InMemoryTables tables;
    private final long epoch;
    private final Commit.ReportedAttemptStatus report;
    private final Instant at;

    InMemoryLateStatusWriter(
            InMemoryTables tables, long epoch, Commit.ReportedAttemptStatus report, Instant at) {
        this.tables = tables;
        this.epoch = epoch;
        this.report = report;
        this.at = at;
    }

    LateStatusResult run() {
        AttemptRow attempt = tables.findAttempt(report.node(), report.attempt());
        if (attempt == null) {
            return LateStatusResult.UNKNOWN;
        }
        if (attempt.sequence >= report.sequence()) {
            return LateStatusResult.KNOWN;
        }
        RolloutId rollout = attempt.rollout;
        if (rollout == null) {
            return applyClearStatus();
        }
        if (!tables.hasEnded(rollout)) {
            return LateStatusResult.NOT_ENDED;
        }
        tables.applyStatus(report, at);
        updateRollout(Objects.requireNonNull(tables.rollouts.get(rollout)));
        if (report.terminal()) {
            tables.incidents.write(
                    List.of(IncidentRules.closeStalledHandover(report.node(), rollout)), at);
        }
        if (report.failedRollback()) {
            tables.incidents.write(
                    List.of(
                            IncidentRules.lateRestoreFailureIncident(
                                    report.node(), rollout, attempt.restoreOf)),
                    at);
        }
        return LateStatusResult.WRITTEN;
    }

    /**
     * As {@link NodeClearResultSql}: the mark is taken off only if the agent reports success (D14).
     */
    private LateStatusResult applyClearStatus() {
        tables.applyStatus(report, at);
        if (!report.terminal()) {
            return LateStatusResult.WRITTEN;
        }
        boolean cleared = report.outcome().equals(AttemptOutcome.SUCCEEDED.name());
        if (cleared) {
            tables.failedRollbacks.remove(report.node());
            tables.incidents.write(
                    List.of(
                            new IncidentChange.CloseMatching(
                                    IncidentRules.CLEARED,
                                    report.node(),
                                    null,
                                    new Cause("CLEARED", "The node is cleared."))),
                    at);
        }
        tables.nodeRequests.values().stream()
                .filter(row -> row.requested.node().equals(report.node()))
                .filter(row -> row.attempt == report.attempt())
                .forEach(
                        row ->
                                row.setDecision(
                                        cleared ? "" : RefusalCode.CLEAR_REFUSED.name(),
                                        cleared
                                                ? ""
                                                : NodeClearingRules.refusalSentence(
                                                        report.node(),
                                                        report.outcome(),
                                                        report.detail()),
                                        at));
        return cleared ? LateStatusResult.CLEARED : LateStatusResult.WRITTEN;
    }

    private void updateRollout(RolloutRow row) {
        Rollout was = row.rollout;
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(was.nodes());
        nodes.computeIfPresent(
                report.node(),
                (id, node) -> node.attempt() == report.attempt() ? updatedNode(node) : node);
        row.rollout =
                new Rollout(
                        was.id(),
                        was.revision() + 1,
                        was.spec(),
                        was.state(),
                        was.acknowledgedFailures(),
                        was.acceptedOffline(),
                        was.forced(),
                        was.batches(),
                        nodes);
        row.epoch = epoch;
        if (report.terminal()) {
            row.append(
                    new HistoryEntry(
                            at,
                            epoch,
                            "drover",
                            "node",
                            report.node().value(),
                            "open",
                            report.outcome(),
                            new Cause(
                                    "RETURNED_LATE",
                                    "Its agent reported after the rollout had ended; the attempt is"
                                            + " closed.")));
        }
    }

    private NodeUpgrade updatedNode(NodeUpgrade node) {
        long installedBy =
                node.withLateOutcome(
                                AttemptOutcome.valueOf(report.outcome()),
                                report.runningDigest(),
                                report.configDigest())
                        .installedBy();
        return new NodeUpgrade(
                node.target(),
                node.batch(),
                node.state(),
                node.attempts(),
                node.attempt(),
                !report.terminal(),
                report.sequence(),
                installedBy,
                node.progress(),
                node.running(),
                report.terminal() ? Handover.none() : node.handover());
    }
}
