package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.plan.AgentFinding;
import drover.coordinator.plan.FleetView;
import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.IncidentRules;
import drover.coordinator.plan.NodeView;
import drover.coordinator.plan.StandbyAgent;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What this leader sees of the nodes it is interested in: one slot per node for its session, its
 * latest status and its latest verdict (rule R2). Fed by the gateways' and the evaluator's streams;
 * read through {@link #view}.
 */
public final class FleetMirror {
    /** A gateway tells of a node for as long after its last try, and forgets now and then only. */
    static final Duration TOLD_OF_AT_THE_MOST = IncidentRules.MISPLACED_REMEMBERED.plusMinutes(1);

    private final Supplier<Instant> clock;
    private final Guards guards;
    private final Map<NodeId, Long> interest =
            new ConcurrentHashMap<>(); // node -> revision that added it
    private final Map<NodeId, Instant> absentSince = new ConcurrentHashMap<>();
    private final Map<NodeId, String> over = new ConcurrentHashMap<>(); // retired -> last session
    private final BarredNodes barred = new BarredNodes();
    private final Seats seats = new Seats(barred);
    private final StatusSlots statuses = new StatusSlots();
    private final Map<NodeId, List<AgentFinding>> findings = new ConcurrentHashMap<>();
    private final StandbyAgents standbys = new StandbyAgents();
    private final NodesByGateway locked = new NodesByGateway();
    private final NodesByGateway misplaced = new NodesByGateway();
    private final Map<NodeId, Instant> retiredAt = new HashMap<>(); // while gateways tell of them

    private final Map<NodeId, Judged> verdicts = new ConcurrentHashMap<>();
    private final Map<String, Long> answered =
            new ConcurrentHashMap<>(); // gateway -> interest revision
    private final Sight sight;
    private volatile @Nullable Instant healthSince;
    private volatile @Nullable Instant healthLostSince; // null while heard, and before
    private final AtomicLong noticings = new AtomicLong();
    private final AtomicLong returns = new AtomicLong();
    private long revision;

    FleetMirror(Supplier<Instant> clock, Guards guards) {
        this.clock = clock;
        this.guards = guards;
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
            verdicts.remove(node);
            standbys.forget(node);
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
        locked.keep(ids);
        misplaced.keep(ids);
        judgeSight();
    }

    synchronized void gatewayLost(String gateway) {
        answered.replace(gateway, -1L);
        seats.leaveAll(gateway::equals);
        standbys.forgetThoseAt(gateway);
        locked.forget(gateway);
        misplaced.forget(gateway);
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
            if (isNobodyHere(node.node())) {
                returns.incrementAndGet();
            }
            seats.take(node.node(), new Seat(gateway, node, now));
            absentSince.remove(node.node());
        }
    }

    /** Whoever is heard of it is who was the node before: its new machine has not dialled yet. */
    private boolean isNobodyHere(NodeId node) {
        return seats.of(node) == null && barred.mayHaveAnother(node);
    }

    /** A gateway does not have these nodes; another one may. */
    synchronized void gone(String gateway, List<NodeId> nodes) {
        Instant now = clock.get();
        for (NodeId node : nodes) {
            seats.leave(node, gateway);
            if (seats.of(node) == null) {
                findings.remove(node); // what an agent noticed holds while it says so
                absentSince.putIfAbsent(node, now);
            }
        }
    }

    /** Which second agents a gateway has. */
    synchronized void standbys(String gateway, Map<NodeId, Optional<StandbyAgent>> told) {
        standbys.told(gateway, told);
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

    /** All that the agents of these nodes notice now; replaces what they noticed before. */
    void noticed(Map<NodeId, List<AgentFinding>> fresh) {
        findings.putAll(fresh);
        noticings.incrementAndGet();
    }

    /** All nodes that are locked, as this gateway has read last. */
    void locked(String gateway, Set<NodeId> nodes) {
        locked.tell(gateway, nodes);
        noticings.incrementAndGet();
    }

    /** All nodes whose credential agents of others showed at this gateway lately. */
    void misplaced(String gateway, Set<NodeId> nodes) {
        misplaced.tell(gateway, nodes);
        noticings.incrementAndGet();
    }

    /**
     * Nodes that any gateway knows to be locked: they read one table, and one of them first. Empty
     * while none has said anything.
     */
    Optional<Set<NodeId>> locked() {
        return locked.nodes();
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
                        misplaced.gateways(),
                        sight.completeSince(now),
                        now); // first: what is told from here on is among the nodes
        retiredAt.values().removeIf(at -> !now.isBefore(at.plus(TOLD_OF_AT_THE_MOST)));
        Set<NodeId> nodes = new HashSet<>(misplaced.nodes().orElse(Set.of()));
        nodes.removeAll(retiredAt.keySet());
        return new Misplaced(nodes, all);
    }

    /**
     * A node is out of service: no gateway has it, whatever was heard last, and nobody asks any
     * more what its agent noticed. What a gateway still tells of that session is late (invariant
     * A4).
     */
    synchronized void retired(NodeId node) {
        Instant now = clock.get();
        findings.remove(node);
        retiredAt.put(node, now);
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
        nodes.forEach(verdicts::remove); // no heartbeat of theirs proves anything (F3)
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
     * What an earlier leader retired, of whose misplaced credentials gateways may still tell.
     *
     * @param at when, by node
     */
    synchronized void retiredBefore(Map<NodeId, Instant> at) {
        at.forEach(retiredAt::putIfAbsent); // what this one retired itself is later
    }

    /**
     * What was noticed, of every node that anything was said of and that is not known to be gone.
     */
    Map<NodeId, List<AgentFinding>> findings() {
        return Map.copyOf(findings);
    }

    /** Grows whenever agents notice something else. */
    long noticings() {
        return noticings.get();
    }

    /**
     * What evaluators say now. Of a node that nobody may speak for they hear whoever speaks all the
     * same: that counts for nothing (invariants F3, H3).
     */
    synchronized void judged(Map<NodeId, HealthVerdict> fresh) {
        Instant now = clock.get();
        fresh.forEach(
                (node, verdict) -> {
                    if (!barred.isBarred(node) && !isNobodyHere(node)) {
                        verdicts.compute(
                                node,
                                (id, before) ->
                                        before == null
                                                ? Judged.first(verdict, now)
                                                : before.then(verdict, now));
                    }
                });
    }

    /**
     * Nobody judges these attempts for the moment: nothing counts until somebody else speaks (F3),
     * and has time to (rule R3). Nodes that others judge have no more time for it.
     *
     * @param attempts by node
     */
    void judgedAnew(Map<NodeId, Long> attempts) {
        Instant now = clock.get();
        attempts.forEach((node, attempt) -> verdicts.put(node, Judged.anew(attempt, now)));
    }

    /**
     * Another evaluator is asked of these attempts: nothing counts until it speaks (F3), and nobody
     * has more time for it.
     *
     * @param attempts by node
     */
    void askedElsewhere(Map<NodeId, Long> attempts) {
        Instant now = clock.get();
        attempts.forEach(
                (node, attempt) ->
                        verdicts.compute(
                                node, (id, before) -> Judged.elsewhere(before, attempt, now)));
    }

    /** Whether any evaluator can be heard; that a further one can changes nothing. */
    void health(boolean available) {
        if (available) {
            healthSince = healthSince == null ? clock.get() : healthSince;
            healthLostSince = null;
        } else {
            healthLostSince = healthSince == null ? healthLostSince : clock.get();
            healthSince = null;
            verdicts.clear(); // no data is never healthy (F3)
        }
    }

    /** What was judged of this attempt; what another rollout is told of a later one stays. */
    void forgetVerdict(NodeId node, long attempt) {
        verdicts.computeIfPresent(
                node, (id, judged) -> judged.verdict().attempt() == attempt ? null : judged);
    }

    Optional<ReportedNode> report(NodeId node) {
        return statuses.of(node);
    }

    Collection<ReportedNode> reports() {
        return statuses.all();
    }

    /** The session of a node, if it is connected. */
    Optional<NodeView.Present> session(NodeId node) {
        return Optional.ofNullable(seats.of(node)).map(Seat::present);
    }

    /** The gateway that holds a node's session. */
    Optional<String> gatewayOf(NodeId node) {
        return Optional.ofNullable(seats.of(node)).map(Seat::gateway);
    }

    private synchronized NodeView look(NodeId node) {
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
        return seat.withFloor(reported).present();
    }

    /** The fleet at one moment: what is looked at once stays as it was seen. */
    View view() {
        return new View();
    }

    /** A consistent look at the mirror; also keeps the statuses that decisions were based on. */
    final class View implements FleetView {
        private final @Nullable Instant complete;
        private final @Nullable Instant blind;
        private final @Nullable Instant health = healthSince;
        private final @Nullable Instant healthLost = healthLostSince;
        private final Map<NodeId, NodeView> nodes = new HashMap<>();
        private final Map<NodeId, Optional<ReportedNode>> seen = new HashMap<>();
        private final Map<NodeId, Optional<Judged>> judged = new HashMap<>();
        private final Map<NodeId, Optional<Seat>> seated = new HashMap<>();
        private final Map<NodeId, Optional<StandbyAgent>> waiting = new HashMap<>();

        private View() {
            synchronized (FleetMirror.this) {
                Instant now = clock.get();
                complete = sight.completeSince(now);
                blind = sight.blindSince(now);
            }
        }

        @Override
        public @Nullable Instant completeSince() {
            return complete;
        }

        @Override
        public @Nullable Instant blindSince() {
            return blind;
        }

        @Override
        public @Nullable Instant healthSince() {
            return health;
        }

        @Override
        public @Nullable Instant healthLostSince() {
            return health == null ? healthLost : null;
        }

        @Override
        public NodeView node(NodeId node) {
            return nodes.computeIfAbsent(node, FleetMirror.this::look);
        }

        @Override
        public Optional<drover.coordinator.plan.AttemptReport> report(NodeId node) {
            return raw(node).map(ReportedNode::report);
        }

        Optional<ReportedNode> raw(NodeId node) {
            return seen.computeIfAbsent(node, FleetMirror.this::report);
        }

        @Override
        public Optional<StandbyAgent> standby(NodeId node) {
            return waiting.computeIfAbsent(node, standbys::of);
        }

        @Override
        public Optional<HealthVerdict> verdict(NodeId node) {
            return judged(node).map(Judged::verdict);
        }

        @Override
        public @Nullable Instant heardSince(NodeId node) {
            return judged(node).map(Judged::heardSince).orElse(null);
        }

        @Override
        public @Nullable Instant unheardSince(NodeId node) {
            return judged(node).map(Judged::unheardSince).orElse(null);
        }

        @Override
        public @Nullable Instant couldBeHeardSince(NodeId node) {
            Seat seat =
                    seated.computeIfAbsent(node, id -> Optional.ofNullable(seats.of(id)))
                            .orElse(null);
            Instant moved = judged(node).map(Judged::movedAt).orElse(null);
            return seat == null || (moved != null && moved.isAfter(seat.since()))
                    ? moved
                    : seat.since();
        }

        private Optional<Judged> judged(NodeId node) {
            return judged.computeIfAbsent(node, id -> Optional.ofNullable(verdicts.get(id)));
        }

        @Override
        public NodeGuard guard(NodeId node) {
            return guards.of(node);
        }
    }
}
