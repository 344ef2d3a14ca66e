package drover.coordinator.engine.fleet;

import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.observed.AgentFinding;
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
import java.util.stream.Stream;

/**
 * What agents and gateways notice of nodes, at work or not: drift, programs that fall again and
 * again, identities that were copied or lie on the wrong machine. It is so as long as they say so.
 */
public final class AgentFindings {
    /** A gateway tells of a node for as long after its last try, and forgets now and then only. */
    public static final Duration MISPLACED_RETENTION =
            IncidentRules.MISPLACED_RETENTION.plusMinutes(1);

    private final Map<NodeId, List<AgentFinding>> findings = new ConcurrentHashMap<>();
    private final Map<NodeId, AgentFinding> rejected = new ConcurrentHashMap<>();
    private final NodesFlaggedByGateways locked = new NodesFlaggedByGateways();
    private final NodesFlaggedByGateways misplaced = new NodesFlaggedByGateways();
    private final Map<NodeId, Instant> retiredAt = new HashMap<>(); // while gateways tell of them
    private final AtomicLong count = new AtomicLong();

    /** All that the agents of these nodes notice now; replaces what they noticed before. */
    public void replaceFindings(Map<NodeId, List<AgentFinding>> fresh) {
        findings.putAll(fresh);
        count.incrementAndGet();
    }

    /** Messages of the agents of these nodes were rejected; it is so until they connect again. */
    public void addRejectedMessages(Map<NodeId, String> nodes) {
        nodes.forEach(
                (node, why) ->
                        rejected.put(
                                node, new AgentFinding(AgentFinding.MESSAGE_REJECTED, "", why)));
        count.incrementAndGet();
    }

    /** All nodes that are locked, as this gateway has read last. */
    public void setLockedNodes(String gateway, Set<NodeId> nodes) {
        locked.set(gateway, nodes);
        count.incrementAndGet();
    }

    /** All nodes whose credential agents of others showed at this gateway lately. */
    public void setMisplacedIdentities(String gateway, Set<NodeId> nodes) {
        misplaced.set(gateway, nodes);
        count.incrementAndGet();
    }

    /** Grows whenever something else is noticed. */
    public long changeCount() {
        return count.get();
    }

    /** What was told of the node when this was read does not count; what is told later does. */
    public void removeIfUnchanged(NodeId node, List<AgentFinding> received) {
        findings.remove(node, received);
    }

    /** No gateway has the node: what its agent noticed holds while it says so. */
    void removeNode(NodeId node) {
        rejected.remove(node);
        findings.remove(node);
    }

    synchronized void markRetired(NodeId node, Instant now) {
        rejected.remove(node);
        findings.remove(node);
        retiredAt.put(node, now);
    }

    /**
     * What an earlier leader retired, of whose misplaced credentials gateways may still tell.
     *
     * @param at when, by node
     */
    public synchronized void addEarlierRetirements(Map<NodeId, Instant> at) {
        at.forEach(retiredAt::putIfAbsent); // what this one retired itself is later
    }

    void retainGateways(Collection<String> ids) {
        locked.retainOnly(ids);
        misplaced.retainOnly(ids);
    }

    void removeGateway(String gateway) {
        locked.forget(gateway);
        misplaced.forget(gateway);
    }

    /**
     * What was noticed, of every node that anything was said of and that is not known to be gone.
     */
    public Map<NodeId, List<AgentFinding>> findings() {
        Map<NodeId, List<AgentFinding>> all = new HashMap<>(findings);
        rejected.forEach(
                (node, finding) ->
                        all.merge(
                                node,
                                List.of(finding),
                                (a, b) -> Stream.concat(a.stream(), b.stream()).toList()));
        return all;
    }

    /**
     * Nodes that any gateway knows to be locked: they read one table, and one of them first. Empty
     * while none has said anything.
     */
    public Optional<Set<NodeId>> lockedNodes() {
        return locked.nodes();
    }

    /** Gateways that have said of which nodes the credential was shown by agents of others. */
    Set<String> gatewaysWithIdentityReport() {
        return misplaced.gateways();
    }

    /**
     * Nodes in service whose credential agents of others showed at any gateway lately: each knows
     * of its own callers.
     */
    synchronized Set<NodeId> misplacedIdentities(Instant now) {
        retiredAt.values().removeIf(at -> !now.isBefore(at.plus(MISPLACED_RETENTION)));
        Set<NodeId> nodes = new HashSet<>(misplaced.nodes().orElse(Set.of()));
        nodes.removeAll(retiredAt.keySet());
        return nodes;
    }
}
