package drover.coordinator.engine.node;

import drover.coordinator.engine.rollout.HistoryAndAttemptsBuilder;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.leader.LeaderStore.OpenAttempt;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cares for attempts that outlive their rollouts (rule R1): a status that no rollout's loop takes
 * in is written down, so that the attempt is closed by its agent's word, and acknowledged; an agent
 * that has not begun is told not to. Runs on the leader's one supervising thread.
 */
public final class OrphanedAttemptLoop {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedAttemptLoop.class);

    private final long epoch;
    private final LoopDependencies parts;
    private final Predicate<ReportedStatus> isOwned;
    private final Consumer<Collection<NodeId>> interest;
    private final OperatorNodeRequestLoop requests;
    private final IncidentReconciler incidents;
    private final Map<NodeId, Long> unknown = new HashMap<>(); // node -> attempt, told once each

    /**
     * @param isOwned whether a rollout's own loop takes the status in
     * @param interest makes nodes visible
     */
    public OrphanedAttemptLoop(
            long epoch,
            LoopDependencies parts,
            Predicate<ReportedStatus> isOwned,
            Consumer<Collection<NodeId>> interest) {
        this.epoch = epoch;
        this.parts = parts;
        this.isOwned = isOwned;
        this.interest = interest;
        this.requests = new OperatorNodeRequestLoop(epoch, parts, interest);
        this.incidents = new IncidentReconciler(epoch, parts, interest);
    }

    /** One round; false when another leader has taken over. */
    public boolean tickUnlessStale() {
        List<ReportedStatus> nobodys =
                parts.fleet().receivedStatuses().stream().filter(isOwned.negate()).toList();
        return (nobodys.isEmpty() || applyLateUnlessStale(nobodys))
                && requests.tickUnlessStale()
                && incidents.tickUnlessStale();
    }

    /** What nobody's loop cares for; false when another leader has taken over. */
    private boolean applyLateUnlessStale(List<ReportedStatus> nobodys) {
        // When a rollout ends this is its whole fleet, known to the last node: one question for all
        // keeps the leader, whose thread this is, from losing sight meanwhile (rule R3).
        Set<NodeId> known =
                parts.store()
                        .findNodesWithStoredStatus(
                                nobodys.stream()
                                        .map(HistoryAndAttemptsBuilder::statusUpdate)
                                        .toList());
        List<StatusAcknowledgementToAgent> acknowledgements = new ArrayList<>();
        boolean leads = true;
        for (ReportedStatus report : nobodys) {
            if (known.contains(report.node())) {
                acknowledge(report, LateStatusResult.KNOWN, acknowledgements);
            } else if (leads) {
                leads = applyLateUnlessStale(report, acknowledgements);
            }
        }
        if (!acknowledgements.isEmpty()) {
            parts.peers().acknowledge(acknowledgements);
        }
        return leads;
    }

    private boolean applyLateUnlessStale(
            ReportedStatus report, List<StatusAcknowledgementToAgent> acknowledgements) {
        LateStatusResult late;
        try {
            late =
                    parts.store()
                            .applyLateStatus(
                                    epoch,
                                    HistoryAndAttemptsBuilder.statusUpdate(report),
                                    parts.clock().get());
        } catch (UnwritableValue e) {
            rejectStatus(report, e);
            return true;
        }
        switch (late) {
            case WRITTEN, CLEARED, KNOWN -> acknowledge(report, late, acknowledgements);
            case UNKNOWN -> logUnknownAttempt(report);
            case NOT_ENDED -> {} // its loop is about to begin
            case STALE_EPOCH -> {}
        }
        return late != LateStatusResult.STALE_EPOCH;
    }

    /** Never written and so never acknowledged; an incident tells of it. */
    private void rejectStatus(ReportedStatus report, UnwritableValue why) {
        LOG.error(
                "A status has a value that the database rejects nodeId={} attempt={}",
                report.node(),
                report.status().attempt(),
                why);
        parts.meter().recordFailure("fleet");
        parts.fleet().removeStatus(report);
        parts.fleet()
                .findings()
                .addRejectedMessages(
                        Map.of(report.node(), "The database rejects a value of its status."));
    }

    /** It is in the database, so that it may be acknowledged (C10) and let go. */
    private void acknowledge(
            ReportedStatus report,
            LateStatusResult late,
            List<StatusAcknowledgementToAgent> acknowledgements) {
        closeAttemptIfTerminal(report, late);
        acknowledgements.add(
                new StatusAcknowledgementToAgent(
                        report.node(), report.status().attempt(), report.status().sequence()));
        parts.fleet().removeStatus(report);
    }

    private void closeAttemptIfTerminal(ReportedStatus report, LateStatusResult late) {
        if (!report.status().outcome().isTerminal()) {
            return;
        }
        if (late == LateStatusResult.CLEARED) {
            parts.reservations().clearFailedRollback(report.node(), report.status().attempt());
            LOG.info(
                    "A node is cleared nodeId={} attempt={}",
                    report.node(),
                    report.status().attempt());
            return;
        }
        parts.reservations()
                .closeAttempt(
                        report.node(),
                        report.status().attempt(),
                        HistoryAndAttemptsBuilder.statusUpdate(report).failedRollback());
        if (late == LateStatusResult.WRITTEN) {
            LOG.info(
                    "An attempt of an ended rollout is closed nodeId={} attempt={} outcome={}",
                    report.node(),
                    report.status().attempt(),
                    report.status().outcome());
        }
    }

    /** Never acknowledged: it would be lost (invariant C10). Kept in the slot, and told once. */
    private void logUnknownAttempt(ReportedStatus report) {
        Long received = unknown.put(report.node(), report.status().attempt());
        if (received == null || received != report.status().attempt()) {
            LOG.warn(
                    "An agent reports an attempt this database does not know nodeId={} attempt={}",
                    report.node(),
                    report.status().attempt());
        }
    }

    /**
     * Tells agents with work left over from ended rollouts not to begin it. Asked again every time:
     * receivers are idempotent by the attempt.
     */
    public void withdrawOrphanedAttempts() {
        List<OpenAttempt> strays = parts.store().findOrphanedAttempts();
        interest.accept(strays.stream().map(OpenAttempt::node).toList());
        Map<String, List<MessageToNode>> byGateway = new HashMap<>();
        for (OpenAttempt stray : strays) {
            parts.fleet()
                    .session(stray.node())
                    .ifPresent(
                            session ->
                                    addDelivery(
                                            byGateway,
                                            new MessageToNode.Withdraw(
                                                    stray.node(),
                                                    session.session(),
                                                    stray.attempt(),
                                                    epoch)));
        }
        byGateway.forEach(parts.peers()::deliver);
    }

    private void addDelivery(Map<String, List<MessageToNode>> byGateway, MessageToNode delivery) {
        parts.fleet()
                .gatewayOf(delivery.node())
                .ifPresent(
                        gateway ->
                                byGateway
                                        .computeIfAbsent(gateway, id -> new ArrayList<>())
                                        .add(delivery));
    }
}
