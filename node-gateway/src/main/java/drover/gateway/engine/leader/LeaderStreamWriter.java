package drover.gateway.engine.leader;

import drover.gateway.engine.session.NodeChange;
import drover.gateway.engine.session.NodeChangeListener;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.stream.BlockingServiceStream;
import drover.gateway.engine.stream.BoundedEntryBatch;
import drover.gateway.engine.stream.DirtyNodes;
import drover.gateway.session.AgentFinding;
import drover.gateway.session.ConnectedExecutor;
import drover.gateway.session.LatestHeartbeat;
import drover.gateway.session.LatestStatus;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.NodeSnapshot;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.ReportedProgram;
import drover.gateway.session.StandbyAgent;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What one attached leader is told. It remembers what it said last of each node and says what is
 * new, as fast as the leader reads: a slow leader skips versions and never grows memory (rule R2).
 */
public final class LeaderStreamWriter implements NodeChangeListener {
    private static final int FINDING_BYTES = 16; // overhead next to a code, a name and a sentence
    private static final int CONDITION_BYTES = 256; // a name, a level and a sentence
    private static final int STANDBY_BYTES = 256; // two ids, a version and a digest
    private static final long OPENING = 0; // the snapshot of unacknowledged statuses

    private final SessionTable table;
    private final BlockingServiceStream<MessageToLeader> wire;
    private final Consumer<Runnable> starter;
    private final DirtyNodes dirty = new DirtyNodes();
    // All are the writer's alone.
    private final Set<NodeId> interest = new HashSet<>();
    private final Map<NodeId, SentSession> sentSessions = new HashMap<>();
    private final Map<NodeId, LastSentStatusVersion> sentStatuses = new HashMap<>();
    private final Map<NodeId, List<AgentFinding>> sentFindings = new HashMap<>();
    private final Map<NodeId, StandbyAgent> sentStandbys = new HashMap<>();
    private final Map<NodeId, LatestHeartbeat> sentHealth = new HashMap<>();
    private Optional<Set<NodeId>> sentBlocked = Optional.empty();
    private Optional<Set<NodeId>> sentMismatches = Optional.empty();
    private final BoundedEntryBatch<NodeId, ConnectedExecutor> present = new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, Boolean> disconnected = new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, LatestStatus> statuses = new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, List<AgentFinding>> findings =
            new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, StandbyAgent> standbys = new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, Map<String, NodeHealth>> conditions =
            new BoundedEntryBatch<>();
    private final BoundedEntryBatch<NodeId, OpaqueMessage> preflights = new BoundedEntryBatch<>();

    /** Which session was said last, and what ran there; the attempt floor comes with statuses. */
    private record SentSession(String session, List<ReportedProgram> programs) {
        private static final SentSession DISCONNECTED = new SentSession("", List.of());

        private static SentSession of(ConnectedExecutor presence) {
            return new SentSession(presence.sessionId(), presence.inventory().programs());
        }
    }

    /** Which status was said last. */
    private record LastSentStatusVersion(long attempt, long sequence) {}

    /** A line that says nothing until it is opened. */
    public LeaderStreamWriter(SessionTable table, BlockingServiceStream<MessageToLeader> wire) {
        this(table, wire, writer -> Thread.ofVirtual().name("leader-line").start(writer));
    }

    /**
     * The same with a writer that somebody else runs.
     *
     * @param starter given the writer, which waits for what there is to say until the line closes;
     *     who does not run it calls {@link #writePending} instead
     */
    public LeaderStreamWriter(
            SessionTable table,
            BlockingServiceStream<MessageToLeader> wire,
            Consumer<Runnable> starter) {
        this.table = table;
        this.wire = wire;
        this.starter = starter;
    }

    /** Writes what there is to say now, without waiting. For a line whose writer is not run. */
    public void writePending() throws InterruptedException {
        while (!dirty.isClosed() && !dirty.isEmpty()) {
            write(dirty.take());
        }
    }

    /** Begins with every unacknowledged status (invariant C10). */
    void start(long highestEpoch) {
        table.watch(this);
        table.forEach((node, _) -> dirty.mark(node));
        dirty.updateInterest(Set.of(), Set.of(), OPENING);
        starter.accept(() -> write(highestEpoch));
    }

    /** Changes which nodes the leader is interested in; each added one is answered. */
    void updateInterest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {
        dirty.updateInterest(add, remove, revision);
    }

    /** Ends the stream. */
    void end(Refused reason) {
        close();
        wire.end(reason);
    }

    /** The stream has ended. */
    void close() {
        table.unwatch(this);
        dirty.close();
    }

    @Override
    public void nodeChanged(NodeId node, NodeChange change) {
        switch (change) {
            case SESSION, STATUS, INVENTORY, HEALTH, FINDINGS, STANDBY, PREFLIGHT ->
                    dirty.mark(node);
            case HEARTBEAT -> {} // an evaluator judges it
        }
    }

    @Override
    public void identityProblemsChanged() {
        dirty.wake();
    }

    private void write(long highestEpoch) {
        try {
            boolean open = wire.send(new MessageToLeader.AttachedWithHighestEpoch(highestEpoch));
            while (open && !dirty.isClosed()) {
                open = write(dirty.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it but the end of the process
        } finally {
            close();
        }
    }

    private boolean write(DirtyNodes.TakenChanges round) throws InterruptedException {
        round.applyInterestTo(interest);
        for (Map.Entry<NodeId, Boolean> node : round.nodes().entrySet()) {
            gatherNode(node.getKey(), node.getValue());
            if (isFull() && !flush()) {
                return false;
            }
        }
        boolean open = flush() && sendLockedNodesIfChanged() && sendIdentityMismatchesIfChanged();
        for (long revision : round.revisions()) {
            open = open && wire.send(new MessageToLeader.SnapshotEnd(revision));
        }
        return open;
    }

    /** All of them at once: whoever is not among them is locked no more. */
    private boolean sendLockedNodesIfChanged() throws InterruptedException {
        Optional<Set<NodeId>> now = table.lockedNodes();
        if (now.equals(sentBlocked)) {
            return true;
        }
        sentBlocked = now;
        return now.isEmpty()
                || wire.send(new MessageToLeader.NodesWithDuplicateIdentity(now.get()));
    }

    /**
     * The same; that there is none is said too, since a gateway that has begun anew knows of none.
     */
    private boolean sendIdentityMismatchesIfChanged() throws InterruptedException {
        Optional<Set<NodeId>> now = Optional.of(table.identityMismatches());
        if (now.equals(sentMismatches)) {
            return true;
        }
        sentMismatches = now;
        return wire.send(new MessageToLeader.IdentityMismatches(now.get()));
    }

    private boolean isFull() {
        return present.isFull()
                || disconnected.isFull()
                || statuses.isFull()
                || findings.isFull()
                || standbys.isFull()
                || conditions.isFull()
                || preflights.isFull();
    }

    private void gatherNode(NodeId node, boolean resend) {
        NodeSnapshot view = table.snapshot(node);
        boolean wanted = interest.contains(node);
        if (wanted) {
            gatherSession(node, view, resend);
            gatherStandby(node, view.standby(), resend);
            gatherHealth(node, view, resend);
        } else {
            sentHealth.remove(node);
            sentSessions.remove(node);
            sentStandbys.remove(node);
        }
        view.status()
                .filter(slot -> wanted || !slot.acknowledged())
                .filter(slot -> resend || !wasSent(node, slot))
                .ifPresent(
                        slot -> {
                            sentStatuses.put(
                                    node,
                                    new LastSentStatusVersion(slot.attempt(), slot.sequence()));
                            statuses.put(node, slot, slot.body().bytes());
                        });
        if (wanted) {
            table.takeUnsentPreflightReport(node)
                    .ifPresent(report -> preflights.put(node, report, report.bytes()));
        }
        currentFindings(node, view)
                .ifPresentOrElse(
                        now -> gatherFindings(node, now, wanted, resend),
                        () -> sentFindings.remove(node)); // whoever comes back says it again
    }

    /**
     * Findings of a node: of its latest heartbeat, and of a message that was rejected. Empty when
     * the node sent neither.
     */
    private Optional<List<AgentFinding>> currentFindings(NodeId node, NodeSnapshot view) {
        Optional<List<AgentFinding>> own =
                view.executor().isPresent()
                        ? view.heartbeat().map(LatestHeartbeat::findings)
                        : Optional.empty();
        return table.rejectedMessageFinding(node)
                .map(
                        rejection ->
                                Stream.concat(own.orElse(List.of()).stream(), Stream.of(rejection))
                                        .toList())
                .or(() -> own);
    }

    /**
     * That a node has nothing is said of nodes of interest, and of those that had something. A node
     * without a heartbeat has said neither.
     */
    private void gatherFindings(
            NodeId node, List<AgentFinding> now, boolean wanted, boolean resend) {
        List<AgentFinding> reported = sentFindings.get(node);
        boolean news = reported == null ? wanted || !now.isEmpty() : !now.equals(reported);
        if (news || (resend && wanted)) {
            sentFindings.put(node, now);
            findings.put(node, now, now.stream().mapToInt(LeaderStreamWriter::findingBytes).sum());
        }
    }

    private static int findingBytes(AgentFinding finding) {
        return FINDING_BYTES
                + finding.code().length()
                + finding.program().length()
                + finding.detail().length();
    }

    private void gatherSession(NodeId node, NodeSnapshot view, boolean resend) {
        SentSession now = view.executor().map(SentSession::of).orElse(SentSession.DISCONNECTED);
        if (now.equals(sentSessions.put(node, now)) && !resend) {
            return;
        }
        view.executor()
                .ifPresentOrElse(
                        presence ->
                                present.put(
                                        node,
                                        presence,
                                        presence.hello().bytes()
                                                + presence.inventory().estimateBytes()),
                        () -> disconnected.put(node, true, 0));
    }

    /** That there is none is said only after one was: hardly a node ever has a second agent. */
    private void gatherStandby(NodeId node, StandbyAgent now, boolean resend) {
        StandbyAgent reported = sentStandbys.getOrDefault(node, StandbyAgent.NONE);
        boolean none = now.equals(StandbyAgent.NONE);
        if (!now.equals(reported) || (resend && !none)) {
            sentStandbys.put(node, now);
            standbys.put(node, now, STANDBY_BYTES);
        }
    }

    /**
     * A node without a session or heartbeat has no health; the leader forgets it with the session.
     */
    private void gatherHealth(NodeId node, NodeSnapshot view, boolean resend) {
        Optional<LatestHeartbeat> now =
                view.executor().isPresent() ? view.heartbeat() : Optional.empty();
        if (now.isEmpty()) {
            sentHealth.remove(node);
            return;
        }
        LatestHeartbeat sent = sentHealth.put(node, now.get());
        if (resend || sent == null || !sent.hasSameHealthLevels(now.get())) {
            Map<String, NodeHealth> programs = now.get().programs();
            conditions.put(node, programs, CONDITION_BYTES * programs.size());
        }
    }

    private boolean wasSent(NodeId node, LatestStatus slot) {
        return new LastSentStatusVersion(slot.attempt(), slot.sequence())
                .equals(sentStatuses.get(node));
    }

    /** Sessions first, so that a status never names a session that the leader has not met. */
    private boolean flush() throws InterruptedException {
        return (present.isEmpty()
                        || wire.send(new MessageToLeader.ConnectedNodesUpdate(present.drain())))
                && (disconnected.isEmpty()
                        || wire.send(
                                new MessageToLeader.NotConnectedNodes(
                                        disconnected.drain().keySet().stream().sorted().toList())))
                && (statuses.isEmpty() || wire.send(new MessageToLeader.Statuses(statuses.drain())))
                && (findings.isEmpty() || wire.send(new MessageToLeader.Findings(findings.drain())))
                && (conditions.isEmpty()
                        || wire.send(new MessageToLeader.ProgramHealthByNode(conditions.drain())))
                && (standbys.isEmpty() || wire.send(new MessageToLeader.Standbys(standbys.drain())))
                && (preflights.isEmpty()
                        || wire.send(new MessageToLeader.PreflightReports(preflights.drain())));
    }
}
