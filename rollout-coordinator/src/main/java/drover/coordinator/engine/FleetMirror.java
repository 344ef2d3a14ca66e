package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.peers.GatewayLink.ReportedHealth;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.IncidentRules;
import drover.coordinator.plan.NodeView;
import drover.coordinator.plan.StandbyAgent;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What this leader sees of the nodes it is interested in: one slot per node for its session, its
 * latest status and its latest verdict (rule R2). Fed by the gateways' and the evaluator's streams;
 * read through {@link #view}.
 */
public final class FleetMirror {
    private final Supplier<Instant> clock;
    private final Guards guards;
    private final Map<NodeId, Long> interest =
            new ConcurrentHashMap<>(); // node -> revision that added it
    private final Map<NodeId, Instant> absentSince = new ConcurrentHashMap<>();
    private final Map<NodeId, String> over = new ConcurrentHashMap<>(); // retired -> last session
    private final BarredNodes barred = new BarredNodes();
    private final Seats seats = new Seats(barred);
    private final StatusSlots statuses = new StatusSlots();
    private final StandbyAgents standbys = new StandbyAgents();
    private final ProgramConditions conditions = new ProgramConditions();
    private final Noticings noticings = new Noticings();
    private final HeardVerdicts verdicts;
    private final Map<String, Long> answered =
            new ConcurrentHashMap<>(); // gateway -> interest revision
    private final Sight sight;
    private final AtomicLong returns = new AtomicLong();
    private long revision;

    FleetMirror(Supplier<Instant> clock, Guards guards) {
        this.clock = clock;
        this.guards = guards;
        this.verdicts = new HeardVerdicts(clock);
        this.sight = new Sight(clock.get());
    }

    /**
     * Nodes are now of interest; returns the revision that gateways must be told, or 0 when nothing
     * changed.
     */
    synchronized long interested(Collection<NodeId> nodes) {
        List<NodeId> fresh = nodes.stream().filter(node -> !interest.containsKey(node)).toList();
        if (fresh.isEmpty()) {
            return 0;
        }
        revision++;
        fresh.forEach(node -> interest.put(node, revision));
        return revision;
    }

    /**
     * Nobody cares for these nodes any more: what is known of them is dropped, so that the mirror
     * holds no more than the rollouts under way need. Returns the revision to tell.
     */
    synchronized long disinterested(Collection<NodeId> nodes) {
        revision++;
        for (NodeId node : nodes) {
            interest.remove(node);
            seats.remove(node);
            absentSince.remove(node);
            over.remove(node);
            barred.forget(node);
            verdicts.forget(node);
            standbys.forget(node);
            conditions.forget(node);
        }
        return revision;
    }

    synchronized Collection<NodeId> interest() {
        return List.copyOf(interest.keySet());
    }

    synchronized long revision() {
        return revision;
    }

    /** Which gateways there are; what others said is forgotten. */
    synchronized void gateways(Collection<String> ids) {
        answered.keySet().retainAll(ids);
        ids.forEach(id -> answered.putIfAbsent(id, -1L));
        seats.leaveAll(gateway -> !ids.contains(gateway));
        standbys.keepThoseAt(ids);
        conditions.keepThoseAt(ids);
        noticings.keepGateways(ids);
        judgeSight();
    }

    synchronized void gatewayLost(String gateway) {
        answered.replace(gateway, -1L);
        seats.leaveAll(gateway::equals);
        standbys.forgetThoseAt(gateway);
        conditions.forgetThoseAt(gateway);
        noticings.gatewayLost(gateway);
        absentSince.clear(); // any node may be at the gateway that cannot be heard
        judgeSight();
    }

    synchronized void snapshotEnd(String gateway, long upTo) {
        answered.merge(gateway, upTo, Math::max);
        judgeSight();
    }

    /** The leader has just found that it holds the fence and could commit (rule R3). */
    synchronized void confirm() {
        sight.confirm(haveAllAnswered(), clock.get());
    }

    /** The database is away: nothing could be committed, so nothing is seen (rule R3). */
    synchronized void lookAway() {
        sight.lookAway(clock.get());
    }

    private void judgeSight() {
        sight.judge(haveAllAnswered(), clock.get());
    }

    private boolean haveAllAnswered() {
        return !answered.isEmpty() && answered.values().stream().allMatch(rev -> rev >= 0);
    }

    synchronized void present(String gateway, List<PresentNode> nodes) {
        Instant now = clock.get();
        for (PresentNode node : nodes) {
            if (node.view().session().equals(over.get(node.node()))
                    || barred.isShutOut(node.node(), gateway)) {
                continue;
            }
            if (isFormerAlone(node.node())) {
                returns.incrementAndGet();
            }
            seats.take(node.node(), new Seat(gateway, node, now));
            absentSince.remove(node.node());
        }
    }

    /** Whoever is heard of it is who was the node before: its new machine has not dialled yet. */
    private boolean isFormerAlone(NodeId node) {
        return seats.of(node) == null && barred.mayHaveAnother(node);
    }

    /** A gateway does not have these nodes; another one may. */
    synchronized void gone(String gateway, List<NodeId> nodes) {
        Instant now = clock.get();
        for (NodeId node : nodes) {
            seats.leave(node, gateway);
            conditions.forget(node, gateway);
            if (seats.of(node) == null) {
                noticings.gone(node);
                absentSince.putIfAbsent(node, now);
            }
        }
    }

    /** Which second agents a gateway has. */
    synchronized void standbys(String gateway, Map<NodeId, Optional<StandbyAgent>> told) {
        standbys.told(gateway, told);
    }

    /** Health of the programs of nodes, as a gateway reports it. */
    synchronized void conditions(String gateway, Map<NodeId, List<ReportedHealth>> nodes) {
        conditions.report(gateway, nodes, clock.get());
    }

    void reported(List<ReportedNode> nodes) {
        statuses.take(nodes);
    }

    /** How often a status of the node came. */
    long arrivals(NodeId node) {
        return statuses.arrivals(node);
    }

    /**
     * A status is written down and acknowledged, and nobody looks at it any more. What it said of
     * the highest attempt stays with the session: gateways do not tell that again, and without it
     * the agent would seem to have lost its journal.
     */
    synchronized void forget(ReportedNode report) {
        seats.heardOf(report.node(), report.report().attempt());
        statuses.forget(report);
    }

    /** What agents and gateways notice of nodes, at work or not. */
    Noticings noticings() {
        return noticings;
    }

    /**
     * Nodes whose credential agents of others showed lately.
     *
     * @param areAll whether it is so of no other node; while not, one may be unheard
     */
    record Misplaced(Set<NodeId> nodes, boolean areAll) {}

    /**
     * Nodes in service whose credential agents of others showed at any gateway lately: each knows
     * of its own callers.
     */
    synchronized Misplaced misplaced() {
        Instant now = clock.get();
        boolean all =
                IncidentRules.areAllMisplacedKnown(
                        answered.keySet(),
                        noticings.tellOfMisplaced(),
                        sight.completeSince(now),
                        now); // first: what is told from here on is among the nodes
        return new Misplaced(noticings.misplaced(now), all);
    }

    /**
     * A node is out of service: no gateway has it, whatever was heard last, and nobody asks any
     * more what its agent noticed. What a gateway still tells of that session is late (invariant
     * A4).
     */
    synchronized void retired(NodeId node) {
        Instant now = clock.get();
        noticings.retired(node, now);
        Seat seat = seats.remove(node);
        absentSince.putIfAbsent(node, now);
        if (seat != null) {
            over.put(node, seat.present().session());
        }
    }

    /** Gateways that are heard though they are not registered any more. */
    synchronized void cutOff(Collection<String> gateways) {
        barred.cutOff(gateways);
        seats.preferThoseThatLook();
    }

    /** Nodes that are there. */
    synchronized Set<NodeId> atCutOff() {
        return seats.atCutOff();
    }

    /** Nodes that nobody may speak for, of those that were asked for. */
    synchronized Set<NodeId> barred() {
        return barred.all();
    }

    /**
     * Nobody may speak for these nodes: wherever they are, that is over (invariant H3).
     *
     * @return those that were somewhere
     */
    synchronized Set<NodeId> bar(Collection<NodeId> nodes) {
        barred.bar(nodes);
        nodes.forEach(verdicts::forget); // no heartbeat of theirs proves anything (F3)
        Set<NodeId> present = nodes.stream().filter(seats::shutOut).collect(Collectors.toSet());
        present.forEach(node -> absentSince.putIfAbsent(node, clock.get()));
        return present;
    }

    /** These may be spoken for again. Returns the revision to ask for them with, where they are. */
    synchronized long unbar(Collection<NodeId> nodes) {
        barred.unbar(nodes);
        returns.incrementAndGet();
        revision++;
        nodes.forEach(node -> interest.computeIfPresent(node, (id, since) -> revision));
        return revision;
    }

    /**
     * Grows whenever nodes may be spoken for again, or are there again. What evaluators said of
     * them before did not count, and they do not say it again by themselves.
     */
    long returns() {
        return returns.get();
    }

    /**
     * What evaluators say now. Of a node that nobody may speak for they hear whoever speaks all the
     * same: that counts for nothing (invariants F3, H3).
     */
    synchronized void judged(Map<NodeId, HealthVerdict> fresh) {
        fresh.forEach(
                (node, verdict) -> {
                    if (barred.isBarred(node) || isFormerAlone(node)) {
                        verdicts.silent(node); // and what was heard before does not last (F3)
                    } else {
                        verdicts.judged(node, verdict);
                    }
                });
    }

    /** What evaluators said of nodes. */
    HeardVerdicts verdicts() {
        return verdicts;
    }

    Optional<ReportedNode> report(NodeId node) {
        return statuses.of(node);
    }

    Collection<ReportedNode> reports() {
        return statuses.all();
    }

    /** The session of a node, if it is connected. */
    Optional<NodeView.Present> session(NodeId node) {
        return seat(node).map(Seat::present);
    }

    /** The gateway that holds a node's session. */
    Optional<String> gatewayOf(NodeId node) {
        return seat(node).map(Seat::gateway);
    }

    synchronized NodeView look(NodeId node) {
        Seat seat = seats.of(node);
        Long since = interest.get(node);
        if (seat != null) {
            return since != null && isAnswerDue(since)
                    ? new NodeView.Unknown() // another gateway may have a later connection
                    : withReport(node, seat);
        }
        boolean known =
                since != null
                        && !answered.isEmpty()
                        && answered.values().stream().allMatch(rev -> rev >= since);
        return known
                ? new NodeView.Absent(absentSince.computeIfAbsent(node, id -> clock.get()))
                : new NodeView.Unknown();
    }

    /** Whether a gateway that can be heard has not said yet whether it has the node. */
    private boolean isAnswerDue(long since) {
        return answered.values().stream().anyMatch(rev -> rev >= 0 && rev < since);
    }

    /** The highest attempt an agent knows is that of its Hello or of a later status. */
    private NodeView.Present withReport(NodeId node, Seat seat) {
        long reported = statuses.of(node).map(report -> report.report().attempt()).orElse(0L);
        return conditions.in(node, seat.gateway(), seat.withFloor(reported).present());
    }

    Optional<Seat> seat(NodeId node) {
        return Optional.ofNullable(seats.of(node));
    }

    /** A second agent of the node that waits. */
    Optional<StandbyAgent> standby(NodeId node) {
        return standbys.of(node);
    }

    /** The fleet at one moment: what is looked at once stays as it was seen. */
    synchronized MirrorView view() {
        Instant now = clock.get();
        return new MirrorView(this, guards, sight.completeSince(now), sight.blindSince(now));
    }
}
