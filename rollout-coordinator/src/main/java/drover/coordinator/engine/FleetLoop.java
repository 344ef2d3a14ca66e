package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.store.LateStatusResult;
import drover.coordinator.store.LeaderStore.OpenAttempt;
import drover.coordinator.store.UnwritableValue;
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
final class FleetLoop {
    private static final Logger LOG = LoggerFactory.getLogger(FleetLoop.class);

    private final long epoch;
    private final TermParts parts;
    private final Predicate<ReportedNode> isOwned;
    private final Consumer<Collection<NodeId>> interest;
    private final NodeRequestLoop requests;
    private final NoticedIncidents incidents;
    private final Map<NodeId, Long> unknown = new HashMap<>(); // node -> attempt, told once each

    /**
     * @param isOwned whether a rollout's own loop takes the status in
     * @param interest makes nodes visible
     */
    FleetLoop(
            long epoch,
            TermParts parts,
            Predicate<ReportedNode> isOwned,
            Consumer<Collection<NodeId>> interest) {
        this.epoch = epoch;
        this.parts = parts;
        this.isOwned = isOwned;
        this.interest = interest;
        this.requests = new NodeRequestLoop(epoch, parts, interest);
        this.incidents = new NoticedIncidents(epoch, parts, interest);
    }

    /** One round; false when another leader has taken over. */
    boolean tick() {
        List<ReportedNode> nobodys =
                parts.mirror().reports().stream().filter(isOwned.negate()).toList();
        return (nobodys.isEmpty() || takeIn(nobodys)) && requests.tick() && incidents.tick();
    }

    /** What nobody's loop cares for; false when another leader has taken over. */
    private boolean takeIn(List<ReportedNode> nobodys) {
        // When a rollout ends this is its whole fleet, known to the last node: one question for all
        // keeps the leader, whose thread this is, from losing sight meanwhile (rule R3).
        Set<NodeId> known =
                parts.store().written(nobodys.stream().map(StepRecords::report).toList());
        List<Acknowledgement> acknowledgements = new ArrayList<>();
        boolean leads = true;
        for (ReportedNode report : nobodys) {
            if (known.contains(report.node())) {
                taken(report, LateStatusResult.KNOWN, acknowledgements);
            } else if (leads) {
                leads = takeIn(report, acknowledgements);
            }
        }
        if (!acknowledgements.isEmpty()) {
            parts.peers().acknowledge(acknowledgements);
        }
        return leads;
    }

    private boolean takeIn(ReportedNode report, List<Acknowledgement> acknowledgements) {
        LateStatusResult late;
        try {
            late = parts.store().takeInLate(epoch, StepRecords.report(report), parts.clock().get());
        } catch (UnwritableValue e) {
            reject(report, e);
            return true;
        }
        switch (late) {
            case WRITTEN, CLEARED, KNOWN -> taken(report, late, acknowledgements);
            case UNKNOWN -> unknown(report);
            case NOT_ENDED -> {} // its loop is about to begin
            case STALE_EPOCH -> {}
        }
        return late != LateStatusResult.STALE_EPOCH;
    }

    /** Never written and so never acknowledged; an incident tells of it. */
    private void reject(ReportedNode report, UnwritableValue why) {
        LOG.error(
                "A status has a value that the database rejects nodeId={} attempt={}",
                report.node(),
                report.report().attempt(),
                why);
        parts.meter().failed("fleet");
        parts.mirror().forget(report);
        parts.mirror()
                .noticings()
                .rejected(Map.of(report.node(), "The database rejects a value of its status."));
    }

    /** It is in the database, so that it may be acknowledged (C10) and let go. */
    private void taken(
            ReportedNode report, LateStatusResult late, List<Acknowledgement> acknowledgements) {
        closed(report, late);
        acknowledgements.add(
                new Acknowledgement(
                        report.node(), report.report().attempt(), report.report().sequence()));
        parts.mirror().forget(report);
    }

    private void closed(ReportedNode report, LateStatusResult late) {
        if (!report.report().outcome().isTerminal()) {
            return;
        }
        if (late == LateStatusResult.CLEARED) {
            parts.guards().cleared(report.node(), report.report().attempt());
            LOG.info(
                    "A node is cleared nodeId={} attempt={}",
                    report.node(),
                    report.report().attempt());
            return;
        }
        parts.guards()
                .closed(
                        report.node(),
                        report.report().attempt(),
                        StepRecords.report(report).failedRollback());
        if (late == LateStatusResult.WRITTEN) {
            LOG.info(
                    "An attempt of an ended rollout is closed nodeId={} attempt={} outcome={}",
                    report.node(),
                    report.report().attempt(),
                    report.report().outcome());
        }
    }

    /** Never acknowledged: it would be lost (invariant C10). Kept in the slot, and told once. */
    private void unknown(ReportedNode report) {
        Long told = unknown.put(report.node(), report.report().attempt());
        if (told == null || told != report.report().attempt()) {
            LOG.warn(
                    "An agent reports an attempt this database does not know nodeId={} attempt={}",
                    report.node(),
                    report.report().attempt());
        }
    }

    /**
     * Tells agents with work left over from ended rollouts not to begin it. Asked again every time:
     * receivers are idempotent by the attempt.
     */
    void withdrawStrays() {
        List<OpenAttempt> strays = parts.store().strays();
        interest.accept(strays.stream().map(OpenAttempt::node).toList());
        Map<String, List<Delivery>> byGateway = new HashMap<>();
        for (OpenAttempt stray : strays) {
            parts.mirror()
                    .session(stray.node())
                    .ifPresent(
                            session ->
                                    add(
                                            byGateway,
                                            new Delivery.Withdraw(
                                                    stray.node(),
                                                    session.session(),
                                                    stray.attempt(),
                                                    epoch)));
        }
        byGateway.forEach(parts.peers()::deliver);
    }

    private void add(Map<String, List<Delivery>> byGateway, Delivery delivery) {
        parts.mirror()
                .gatewayOf(delivery.node())
                .ifPresent(
                        gateway ->
                                byGateway
                                        .computeIfAbsent(gateway, id -> new ArrayList<>())
                                        .add(delivery));
    }
}
