package drover.coordinator.engine.fleet;

import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.ReportedProgramHealth;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.StandbyAgent;
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
 * read through {@link #snapshot}.
 */
public final class FleetCache {
    private final Supplier<Instant> clock;
    private final NodeReservationCache reservations;
    private final Map<NodeId, Long> interest =
            new ConcurrentHashMap<>(); // node -> revision that added it
    private final Map<NodeId, Instant> absentSince = new ConcurrentHashMap<>();
    private final Map<NodeId, String> retiredSessions =
            new ConcurrentHashMap<>(); // retired -> last session
    private final BlockedNodeReportFilter blocked = new BlockedNodeReportFilter();
    private final NodeConnections connections = new NodeConnections(blocked);
    private final StatusCache statuses = new StatusCache();
    private final StandbyAgents standbys = new StandbyAgents();
    private final ProgramHealthCache conditions = new ProgramHealthCache();
    private final AgentFindings findings = new AgentFindings();
    private final VerdictCache verdicts;
    private final Map<String, Long> interestRevisions =
            new ConcurrentHashMap<>(); // gateway -> interest revision
    private final FleetVisibilityTimes visibility;
    private final AtomicLong reinstatements = new AtomicLong();
    private long revision;

    public FleetCache(Supplier<Instant> clock, NodeReservationCache guards) {
        this.clock = clock;
        this.reservations = guards;
        this.verdicts = new VerdictCache(clock);
        this.visibility = new FleetVisibilityTimes(clock.get());
    }

    /**
     * Nodes are now of interest; returns the revision that gateways must be told, or 0 when nothing
     * changed.
     */
    public synchronized long addInterest(Collection<NodeId> nodes) {
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
    public synchronized long removeInterest(Collection<NodeId> nodes) {
        revision++;
        for (NodeId node : nodes) {
            interest.remove(node);
            connections.remove(node);
            absentSince.remove(node);
            retiredSessions.remove(node);
            blocked.forget(node);
            verdicts.forget(node);
            standbys.forget(node);
            conditions.remove(node);
        }
        return revision;
    }

    public synchronized Collection<NodeId> nodesOfInterest() {
        return List.copyOf(interest.keySet());
    }

    public synchronized long interestRevision() {
        return revision;
    }

    /** Which gateways there are; what others said is forgotten. */
    public synchronized void setGateways(Collection<String> ids) {
        interestRevisions.keySet().retainAll(ids);
        ids.forEach(id -> interestRevisions.putIfAbsent(id, -1L));
        connections.disconnectGateways(gateway -> !ids.contains(gateway));
        standbys.retainGateways(ids);
        conditions.retainGateways(ids);
        findings.retainGateways(ids);
        updateVisibility();
    }

    public synchronized void markGatewayLost(String gateway) {
        interestRevisions.replace(gateway, -1L);
        connections.disconnectGateways(gateway::equals);
        standbys.removeGateway(gateway);
        conditions.removeGateway(gateway);
        findings.removeGateway(gateway);
        absentSince.clear(); // any node may be at the gateway that cannot be heard
        updateVisibility();
    }

    public synchronized void applySnapshotEnd(String gateway, long upTo) {
        interestRevisions.merge(gateway, upTo, Math::max);
        updateVisibility();
    }

    /** The leader has just found that it holds the fence and could commit (rule R3). */
    public synchronized void confirmFence() {
        visibility.confirmFence(haveAllGatewaysResponded(), clock.get());
    }

    /** The database is away: nothing could be committed, so nothing is seen (rule R3). */
    public synchronized void markStoreUnavailable() {
        visibility.markStoreUnavailable(clock.get());
    }

    private void updateVisibility() {
        visibility.update(haveAllGatewaysResponded(), clock.get());
    }

    private boolean haveAllGatewaysResponded() {
        return !interestRevisions.isEmpty()
                && interestRevisions.values().stream().allMatch(rev -> rev >= 0);
    }

    public synchronized void applyConnected(String gateway, List<ConnectedNode> nodes) {
        Instant now = clock.get();
        for (ConnectedNode node : nodes) {
            if (node.view().session().equals(retiredSessions.get(node.node()))
                    || blocked.rejectIfBlocked(node.node(), gateway)) {
                continue;
            }
            if (isOnlyStaleInstance(node.node())) {
                reinstatements.incrementAndGet();
            }
            connections.recordConnection(node.node(), new NodeConnection(gateway, node, now));
            absentSince.remove(node.node());
        }
    }

    /** Whoever is heard of it is who was the node before: its new machine has not dialled yet. */
    private boolean isOnlyStaleInstance(NodeId node) {
        return connections.of(node) == null && blocked.mayHaveStaleConnection(node);
    }

    /** A gateway does not have these nodes; another one may. */
    public synchronized void applyDisconnected(String gateway, List<NodeId> nodes) {
        Instant now = clock.get();
        for (NodeId node : nodes) {
            connections.recordDisconnection(node, gateway);
            conditions.remove(node, gateway);
            if (connections.of(node) == null) {
                findings.removeNode(node);
                absentSince.putIfAbsent(node, now);
            }
        }
    }

    /** Which second agents a gateway has. */
    public synchronized void applyStandbys(
            String gateway, Map<NodeId, Optional<StandbyAgent>> received) {
        standbys.update(gateway, received);
    }

    /** Health of the programs of nodes, as a gateway reports it. */
    public synchronized void applyProgramHealth(
            String gateway, Map<NodeId, List<ReportedProgramHealth>> nodes) {
        conditions.update(gateway, nodes, clock.get());
    }

    public void applyStatuses(List<ReportedStatus> nodes) {
        statuses.put(nodes);
    }

    /** How often a status of the node came. */
    public long statusArrivalCount(NodeId node) {
        return statuses.statusArrivalCount(node);
    }

    /**
     * A status is written down and acknowledged, and nobody looks at it any more. What it said of
     * the highest attempt stays with the session: gateways do not tell that again, and without it
     * the agent would seem to have lost its journal.
     */
    public synchronized void removeStatus(ReportedStatus report) {
        connections.recordAttempt(report.node(), report.status().attempt());
        statuses.remove(report);
    }

    /** What agents and gateways notice of nodes, at work or not. */
    public AgentFindings findings() {
        return findings;
    }

    /**
     * Nodes whose credential agents of others showed lately.
     *
     * @param areAll whether it is so of no other node; while not, one may be unheard
     */
    public record MisplacedIdentities(Set<NodeId> nodes, boolean areAll) {}

    /**
     * Nodes in service whose credential agents of others showed at any gateway lately: each knows
     * of its own callers.
     */
    public synchronized MisplacedIdentities misplacedIdentities() {
        Instant now = clock.get();
        boolean all =
                IncidentRules.areMismatchReportsComplete(
                        interestRevisions.keySet(),
                        findings.gatewaysWithIdentityReport(),
                        visibility.completeSince(now),
                        now); // first: what is told from here on is among the nodes
        return new MisplacedIdentities(findings.misplacedIdentities(now), all);
    }

    /**
     * A node is out of service: no gateway has it, whatever was heard last, and nobody asks any
     * more what its agent noticed. What a gateway still tells of that session is late (invariant
     * A4).
     */
    public synchronized void markRetired(NodeId node) {
        Instant now = clock.get();
        findings.markRetired(node, now);
        NodeConnection connection = connections.remove(node);
        absentSince.putIfAbsent(node, now);
        if (connection != null) {
            retiredSessions.put(node, connection.presentView().session());
        }
    }

    /** Gateways that are heard though they are not registered any more. */
    synchronized void setGatewaysWithoutDatabase(Collection<String> gateways) {
        blocked.setGatewaysWithoutDatabase(gateways);
        connections.preferGatewaysWithDatabase();
    }

    /** Nodes that are there. */
    synchronized Set<NodeId> nodesAtGatewaysWithoutDatabase() {
        return connections.nodesAtGatewaysWithoutDatabase();
    }

    /** Nodes that nobody may speak for, of those that were asked for. */
    synchronized Set<NodeId> blockedNodes() {
        return blocked.allBlocked();
    }

    /**
     * Nobody may speak for these nodes: wherever they are, that is over (invariant H3).
     *
     * @return those that were somewhere
     */
    public synchronized Set<NodeId> block(Collection<NodeId> nodes) {
        blocked.block(nodes);
        nodes.forEach(verdicts::forget); // no heartbeat of theirs proves anything (F3)
        Set<NodeId> present =
                nodes.stream().filter(connections::removeBlocked).collect(Collectors.toSet());
        present.forEach(node -> absentSince.putIfAbsent(node, clock.get()));
        return present;
    }

    /** These may be spoken for again. Returns the revision to ask for them with, where they are. */
    public synchronized long unblock(Collection<NodeId> nodes) {
        blocked.unblock(nodes);
        reinstatements.incrementAndGet();
        revision++;
        nodes.forEach(node -> interest.computeIfPresent(node, (id, since) -> revision));
        return revision;
    }

    /**
     * Grows whenever nodes may be spoken for again, or are there again. What evaluators said of
     * them before did not count, and they do not say it again by themselves.
     */
    public long reinstatementCount() {
        return reinstatements.get();
    }

    /**
     * What evaluators say now. Of a node that nobody may speak for they hear whoever speaks all the
     * same: that counts for nothing (invariants F3, H3).
     */
    public synchronized void applyVerdicts(Map<NodeId, HealthVerdict> fresh) {
        fresh.forEach(
                (node, verdict) -> {
                    if (blocked.isBlocked(node) || isOnlyStaleInstance(node)) {
                        verdicts.markNoData(node); // and what was heard before does not last (F3)
                    } else {
                        verdicts.update(node, verdict);
                    }
                });
    }

    /** What evaluators said of nodes. */
    public VerdictCache verdicts() {
        return verdicts;
    }

    public Optional<ReportedStatus> receivedStatus(NodeId node) {
        return statuses.of(node);
    }

    public Collection<ReportedStatus> receivedStatuses() {
        return statuses.allStatuses();
    }

    /** The session of a node, if it is connected. */
    public Optional<NodeView.Present> session(NodeId node) {
        return connection(node).map(NodeConnection::presentView);
    }

    /** The gateway that holds a node's session. */
    public Optional<String> gatewayOf(NodeId node) {
        return connection(node).map(NodeConnection::gateway);
    }

    synchronized NodeView nodeView(NodeId node) {
        NodeConnection connection = connections.of(node);
        Long since = interest.get(node);
        if (connection != null) {
            return since != null && isSnapshotPending(since)
                    ? new NodeView.Unknown() // another gateway may have a later connection
                    : withReportedAttempt(node, connection);
        }
        boolean known =
                since != null
                        && !interestRevisions.isEmpty()
                        && interestRevisions.values().stream().allMatch(rev -> rev >= since);
        return known
                ? new NodeView.Absent(absentSince.computeIfAbsent(node, id -> clock.get()))
                : new NodeView.Unknown();
    }

    /** Whether a gateway that can be heard has not said yet whether it has the node. */
    private boolean isSnapshotPending(long since) {
        return interestRevisions.values().stream().anyMatch(rev -> rev >= 0 && rev < since);
    }

    /** The highest attempt an agent knows is that of its Hello or of a later status. */
    private NodeView.Present withReportedAttempt(NodeId node, NodeConnection connection) {
        long reported = statuses.of(node).map(report -> report.status().attempt()).orElse(0L);
        return conditions.withHealth(node, connection.withMinimumAttempt(reported));
    }

    Optional<NodeConnection> connection(NodeId node) {
        return Optional.ofNullable(connections.of(node));
    }

    /** A second agent of the node that waits. */
    Optional<StandbyAgent> standby(NodeId node) {
        return standbys.of(node);
    }

    /** The fleet at one moment: what is looked at once stays as it was seen. */
    public synchronized LazyFleetSnapshot snapshot() {
        Instant now = clock.get();
        return new LazyFleetSnapshot(
                this, reservations, visibility.completeSince(now), visibility.lostSince(now));
    }
}
