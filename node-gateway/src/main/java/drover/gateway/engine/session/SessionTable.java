package drover.gateway.engine.session;

import drover.gateway.session.AgentFinding;
import drover.gateway.session.AgentSession;
import drover.gateway.session.LatestHeartbeat;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeSnapshot;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.SessionAdmission;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every session of this gateway and the latest that each node said. Held in memory alone: agents
 * say it again when they connect. One entry per node that ever connected, so the credentials bound
 * it.
 */
public final class SessionTable {
    private static final Logger LOG = LoggerFactory.getLogger(SessionTable.class);

    private final Map<NodeId, NodeEntry> nodes = new ConcurrentHashMap<>();
    private final List<NodeChangeListener> watchers = new CopyOnWriteArrayList<>();
    private final LongSupplier nanoTime;
    private final AgentMessageMeter meter;
    private volatile boolean leaving;
    private volatile Optional<Set<NodeId>> locked = Optional.empty();
    private final IdentityMismatches misplaced;
    private final RejectedMessages rejected;
    private final OutstandingLogReads logReads = new OutstandingLogReads();

    /** An empty table that nobody measures. {@code nanoTime} is a monotonic clock. */
    public SessionTable(LongSupplier nanoTime) {
        this(nanoTime, AgentMessageMeter.NONE);
    }

    /** An empty table. {@code nanoTime} is a monotonic clock. */
    public SessionTable(LongSupplier nanoTime, AgentMessageMeter meter) {
        this.nanoTime = nanoTime;
        this.meter = meter;
        this.misplaced = new IdentityMismatches(nanoTime);
        this.rejected = new RejectedMessages(nanoTime);
    }

    /**
     * Admits an agent and welcomes it.
     *
     * @return the id of its session
     * @throws Refused when a later connection of the node is here already
     */
    public String admit(AgentHello arrival, AgentOutboxWriter line) {
        if (leaving) {
            throw shuttingDown();
        }
        NodeId node = arrival.node().id();
        AgentSession session =
                new AgentSession(
                        UUID.randomUUID().toString(),
                        arrival.incarnation(),
                        arrival.connectionNumber(),
                        arrival.executor());
        NodeEntry entry = nodes.computeIfAbsent(node, _ -> new NodeEntry());
        return switch (entry.admit(session, arrival, line, nanoTime.getAsLong())) {
            case SessionAdmission.Admitted _ -> {
                LOG.info(
                        "An agent connected nodeId={} sessionId={} executor={}",
                        node,
                        session.id(),
                        session.executor());
                notifyWatchers(
                        node,
                        Set.of(
                                NodeChange.SESSION,
                                NodeChange.STATUS,
                                NodeChange.INVENTORY,
                                NodeChange.STANDBY));
                yield session.id();
            }
            case SessionAdmission.AlreadySuperseded(AgentSession by) ->
                    throw new Refused(
                            RefusalCode.SESSION_SUPERSEDED,
                            "Connection %d of start %d of this node is here already; dial again"
                                            .formatted(by.connectionNumber(), by.incarnation())
                                    + " only after a pause.");
        };
    }

    /**
     * Welcomes an agent that only tries whether it could connect (seed 001, Verifying): its address
     * and its credential are good. Nothing is kept of it and nobody is told.
     */
    public void welcomeConnectionTest(NodeId node, AgentOutboxWriter line) {
        LOG.debug("An agent tried its address and credential nodeId={}", node);
        line.send(new MessageToAgent.Welcome(""));
    }

    /** Takes a status; not heard unless the session is the current executor's (C13). */
    public void applyStatus(NodeId node, String sessionId, ReceivedStatus report) {
        meter.statusReceived();
        NodeEntry entry = entryOrEmpty(node);
        entry.recordCommandResponse(sessionId, report.attempt(), nanoTime.getAsLong())
                .ifPresent(nanos -> meter.commandAnswered(Duration.ofNanos(nanos)));
        notifyWatchers(node, entry.applyStatus(sessionId, report));
    }

    /** Takes a heartbeat; not heard unless the session is one of the two current ones (C13). */
    public void applyHeartbeat(NodeId node, String sessionId, ParsedHeartbeat beat) {
        meter.heartbeatReceived();
        notifyWatchers(
                node, entryOrEmpty(node).applyHeartbeat(sessionId, beat, nanoTime.getAsLong()));
    }

    /** Takes what a preflight found; not heard unless the session is the current executor's. */
    public void storePreflightReport(NodeId node, String sessionId, OpaqueMessage report) {
        if (entryOrEmpty(node).storePreflightReport(sessionId, report)) {
            notifyWatchers(node, Set.of(NodeChange.PREFLIGHT));
        }
    }

    /**
     * What a preflight found on a node and the leader was not told; afterwards it counts as told.
     */
    public Optional<OpaqueMessage> takeUnsentPreflightReport(NodeId node) {
        return entryOrEmpty(node).takeUnsentPreflightReport();
    }

    /** A stream has ended, for whatever reason. */
    public void removeSession(NodeId node, String sessionId) {
        Set<NodeChange> changes = entryOrEmpty(node).removeSession(sessionId);
        if (changes.contains(NodeChange.SESSION)) {
            logReads.failOnDisconnect(node);
        }
        if (!changes.isEmpty()) {
            LOG.info(
                    "An agent disconnected nodeId={} sessionId={} executor={}",
                    node,
                    sessionId,
                    changes.contains(NodeChange.SESSION));
            notifyWatchers(node, changes);
        }
    }

    /** The coordinator has committed a status: the slot is free and the agent may know. */
    public void acknowledge(NodeId node, MessageToAgent.Acknowledgement committed) {
        entryOrEmpty(node).acknowledge(committed);
    }

    /** Tells an agent over the session named; false, and dropped, when another is current (C14). */
    public boolean deliver(NodeId node, String sessionId, MessageToAgent outgoing) {
        return entryOrEmpty(node).deliver(sessionId, outgoing, nanoTime.getAsLong());
    }

    /** The latest of a node. */
    public NodeSnapshot snapshot(NodeId node) {
        NodeEntry entry = nodes.get(node);
        return entry == null ? NodeSnapshot.EMPTY : entry.snapshot();
    }

    /** How many streams of agents are open, standby agents' too. */
    public int streamCount() {
        return nodes.values().stream().mapToInt(NodeEntry::streamCount).sum();
    }

    /** Shows every node of which anything is known. */
    public void forEach(BiConsumer<NodeId, NodeSnapshot> visitor) {
        nodes.forEach((node, entry) -> visitor.accept(node, entry.snapshot()));
    }

    /** Reading of the monotonic clock that {@link LatestHeartbeat#receivedNanos} was read from. */
    public long nanoTime() {
        return nanoTime.getAsLong();
    }

    /** From now on tells this watcher. */
    public void watch(NodeChangeListener watcher) {
        watchers.add(watcher);
    }

    /** Tells this watcher no more. */
    public void unwatch(NodeChangeListener watcher) {
        watchers.remove(watcher);
    }

    /** Admits nobody from now on, because the gateway goes away; who is there stays for now. */
    public void stopAdmitting() {
        leaving = true;
    }

    /** Nodes of which an agent is connected. */
    public List<NodeId> nodesWithStreams() {
        return nodes.entrySet().stream()
                .filter(entry -> entry.getValue().streamCount() > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Asks the agents of a node to dial another gateway within this time. */
    public void requestReconnect(NodeId node, Duration within) {
        entryOrEmpty(node).requestReconnect(within);
    }

    /** These nodes and no others are locked, since their identity was in use at two places. */
    public void setLockedNodes(Collection<NodeId> now) {
        Set<NodeId> fresh = Set.copyOf(now);
        Optional<Set<NodeId>> before = locked;
        if (before.filter(fresh::equals).isEmpty()) {
            locked = Optional.of(fresh);
            watchers.forEach(NodeChangeListener::identityProblemsChanged);
        }
    }

    /** Which nodes are locked; empty while nobody has looked. */
    public Optional<Set<NodeId>> lockedNodes() {
        return locked;
    }

    /** An agent showed the credential of this node and takes itself for another; it was refused. */
    public void addIdentityMismatch(NodeId node) {
        if (misplaced.add(node)) {
            LOG.warn("An agent of another node shows the credential of this one nodeId={}", node);
            watchers.forEach(NodeChangeListener::identityProblemsChanged);
        }
    }

    /** Forgets such agents that have not come again for long. */
    public void expireIdentityMismatches() {
        if (misplaced.expire()) {
            watchers.forEach(NodeChangeListener::identityProblemsChanged);
        }
    }

    /** Whose credential such agents showed lately. */
    public Set<NodeId> identityMismatches() {
        return misplaced.nodes();
    }

    /**
     * Reports a message that was rejected because a value was outside its limits: metric, log line,
     * and a finding of the node, for which the leader opens an incident.
     *
     * @param why one sentence that names the field and its rule
     */
    public void recordRejectedMessage(NodeId node, String why) {
        meter.messageRejected();
        if (rejected.add(node, why)) {
            LOG.warn("A message of an agent was rejected nodeId={} reason={}", node, why);
            notifyWatchers(node, Set.of(NodeChange.FINDINGS));
        }
    }

    /** The finding of a rejected message; empty when no message was rejected recently. */
    public Optional<AgentFinding> rejectedMessageFinding(NodeId node) {
        return rejected.findingOf(node);
    }

    /** Removes findings of messages that were rejected long ago. */
    public void expireRejectedMessages() {
        rejected.expire().forEach(node -> notifyWatchers(node, Set.of(NodeChange.FINDINGS)));
    }

    /** Outstanding log reads. */
    public OutstandingLogReads logReads() {
        return logReads;
    }

    /** Metrics of what agents send. */
    public AgentMessageMeter meter() {
        return meter;
    }

    /** Ends every session, because the gateway goes away. */
    public void endAll() {
        nodes.values().forEach(entry -> entry.endAll(shuttingDown()));
    }

    private static Refused shuttingDown() {
        return new Refused(
                RefusalCode.GATEWAY_UNAVAILABLE,
                "This gateway is going away; dial again with jitter.");
    }

    private NodeEntry entryOrEmpty(NodeId node) {
        NodeEntry entry = nodes.get(node);
        return entry == null ? new NodeEntry() : entry; // nothing known: nothing is changed
    }

    private void notifyWatchers(NodeId node, Set<NodeChange> changes) {
        for (NodeChangeListener watcher : watchers) {
            changes.forEach(change -> watcher.nodeChanged(node, change));
        }
    }
}
