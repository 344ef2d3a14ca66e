package drover.gateway.engine.session;

import drover.gateway.session.AgentSession;
import drover.gateway.session.CommandResponseTimer;
import drover.gateway.session.ConnectedExecutor;
import drover.gateway.session.LatestHeartbeat;
import drover.gateway.session.LatestStatus;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.NodeSnapshot;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.SessionAdmission;
import drover.gateway.session.SessionAdmissionRules;
import drover.gateway.session.SessionsOfNode;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One node: its sessions, its lines, and the latest of everything. Its lock is the only order that
 * messages of a node have; nothing is called under it but lines, which do not block.
 */
final class NodeEntry {
    private final Map<String, AgentOutboxWriter> lines =
            new HashMap<>(); // at most two, as the rules say
    private SessionsOfNode sessions = SessionsOfNode.NONE;
    private CommandResponseTimer wait = CommandResponseTimer.NONE;
    private @Nullable OpaqueMessage preflight; // null once it was told
    private volatile NodeSnapshot view = NodeSnapshot.EMPTY;

    NodeSnapshot snapshot() {
        return view;
    }

    synchronized SessionAdmission admit(
            AgentSession session, AgentHello arrival, AgentOutboxWriter line, long nanos) {
        SessionAdmission admission = SessionAdmissionRules.decide(sessions, session);
        if (admission
                instanceof SessionAdmission.Admitted(SessionsOfNode next, List<AgentSession> old)) {
            old.forEach(this::supersede);
            sessions = next;
            lines.put(session.id(), line);
            view =
                    session.executor()
                            ? snapshotAfterHello(session, arrival, nanos)
                            : view.withStandby(session, arrival.inventory());
            line.send(new MessageToAgent.Welcome(session.id()));
        }
        return admission;
    }

    private void supersede(AgentSession old) {
        AgentOutboxWriter line = lines.remove(old.id());
        if (line != null) {
            line.end(
                    new Refused(
                            RefusalCode.SESSION_SUPERSEDED,
                            "A later connection of this node took over; dial again only after a"
                                    + " pause."));
        }
        clearSession(old.id());
    }

    /** What this session said holds no more; of the executor the inventory and the slot stay. */
    private void clearSession(String sessionId) {
        view = view.isExecutor(sessionId) ? view.withoutExecutor() : view.withoutStandby(sessionId);
    }

    private NodeSnapshot snapshotAfterHello(AgentSession session, AgentHello arrival, long nanos) {
        NodeSnapshot arrived =
                view.withExecutor(
                        new ConnectedExecutor(session.id(), arrival.hello(), arrival.inventory()),
                        nanos);
        return arrival.status()
                .map(report -> arrived.withStatus(toLatestStatus(report, session.id())))
                .orElse(arrived);
    }

    private static LatestStatus toLatestStatus(ReceivedStatus report, String sessionId) {
        return LatestStatus.of(report.attempt(), report.sequence(), sessionId, report.body());
    }

    /** Takes a status of the connected executor; anybody else's is not heard. */
    synchronized Set<NodeChange> applyStatus(String sessionId, ReceivedStatus report) {
        if (!view.isExecutor(sessionId)) {
            return Set.of();
        }
        NodeSnapshot before = view;
        NodeSnapshot reported = before.withStatus(toLatestStatus(report, sessionId));
        if (reported.status().equals(before.status())) {
            return Set.of();
        }
        NodeInventory inventory =
                executorInventory(before)
                        .withFloorAtLeast(report.attempt())
                        .withObservations(report.signals())
                        .mergePrograms(report.programs());
        view = reported.withInventory(inventory);
        return addInventoryIfChanged(before, NodeChange.STATUS);
    }

    /**
     * Takes a heartbeat of the connected executor; of the standby only what it says of itself.
     * Anybody else's is not heard, nor one that was made before the latest status and tells of a
     * program that has been replaced since.
     */
    synchronized Set<NodeChange> applyHeartbeat(
            String sessionId, ParsedHeartbeat beat, long receivedNanos) {
        NodeSnapshot before = view;
        if (before.isStandby(sessionId)) {
            view = before.withStandbyHeartbeat(beat.signals(), beat.draining());
            return view.equals(before) ? Set.of() : Set.of(NodeChange.STANDBY);
        }
        if (!before.isExecutor(sessionId)
                || beat.latestStatus().filter(before::hasStatusAfter).isPresent()) {
            return Set.of();
        }
        LatestHeartbeat slot =
                new LatestHeartbeat(
                        beat.body(),
                        receivedNanos,
                        NodeHealth.worstOf(beat.conditions()),
                        programHealth(beat),
                        beat.findings(),
                        beat.sentAt());
        view =
                before.withHeartbeat(
                        slot, executorInventory(before).withObservations(beat.signals()));
        Set<NodeChange> changes = addInventoryIfChanged(before, NodeChange.HEARTBEAT);
        boolean changed =
                before.heartbeat()
                        .map(earlier -> !earlier.findings().equals(beat.findings()))
                        .orElse(true); // a leader asks whether it still notices something
        if (changed) {
            changes.add(NodeChange.FINDINGS);
        }
        if (!before.heartbeat().filter(slot::hasSameHealthLevels).isPresent()) {
            changes.add(NodeChange.HEALTH);
        }
        return changes;
    }

    /** An agent that names a program twice reports the worse of both. */
    private static Map<String, NodeHealth> programHealth(ParsedHeartbeat beat) {
        Map<String, NodeHealth> programs = new HashMap<>();
        beat.conditions()
                .forEach(
                        one ->
                                programs.merge(
                                        one.name(),
                                        NodeHealth.of(one),
                                        (a, b) -> a.level().compareTo(b.level()) < 0 ? b : a));
        return programs;
    }

    /** Takes what a preflight found, of the connected executor; anybody else's is not heard. */
    synchronized boolean storePreflightReport(String sessionId, OpaqueMessage report) {
        if (!view.isExecutor(sessionId)) {
            return false;
        }
        preflight = report;
        return true;
    }

    /** What a preflight found and nobody was told; afterwards somebody was. */
    synchronized Optional<OpaqueMessage> takeUnsentPreflightReport() {
        OpaqueMessage found = preflight;
        preflight = null;
        return Optional.ofNullable(found);
    }

    private Set<NodeChange> addInventoryIfChanged(NodeSnapshot before, NodeChange certain) {
        return executorInventory(before).equals(executorInventory(view))
                ? EnumSet.of(certain)
                : EnumSet.of(certain, NodeChange.INVENTORY);
    }

    private static NodeInventory executorInventory(NodeSnapshot view) {
        return view.executor().map(ConnectedExecutor::inventory).orElse(NodeInventory.NONE);
    }

    synchronized void acknowledge(MessageToAgent.Acknowledgement committed) {
        view = view.withAcknowledged(committed.attempt(), committed.sequence());
        view.executor().ifPresent(present -> send(present.sessionId(), committed));
    }

    /** Tells the connected executor, if it is this session's; otherwise drops it (C14). */
    synchronized boolean deliver(String sessionId, MessageToAgent outgoing, long nanos) {
        boolean sent = view.isExecutor(sessionId) && send(sessionId, outgoing);
        if (sent && outgoing instanceof MessageToAgent.Command) {
            wait = wait.withCommandSent(nanos);
        }
        return sent;
    }

    /** How long a command waited that this status of the connected executor answers. */
    synchronized OptionalLong recordCommandResponse(String sessionId, long attempt, long nanos) {
        if (!view.isExecutor(sessionId)) {
            return OptionalLong.empty();
        }
        OptionalLong waited = wait.responseNanos(attempt, nanos);
        wait = wait.withStatusReceived(attempt);
        return waited;
    }

    synchronized int streamCount() {
        return lines.size();
    }

    private boolean send(String sessionId, MessageToAgent outgoing) {
        AgentOutboxWriter line = lines.get(sessionId);
        if (line == null) {
            return false;
        }
        line.send(outgoing);
        return true;
    }

    /** A session has ended: the executor's, the standby's, or one that was superseded before. */
    synchronized Set<NodeChange> removeSession(String sessionId) {
        lines.remove(sessionId);
        sessions = sessions.without(sessionId);
        boolean executor = view.isExecutor(sessionId);
        boolean standby = view.isStandby(sessionId);
        clearSession(sessionId);
        if (executor) {
            return Set.of(NodeChange.SESSION, NodeChange.INVENTORY);
        }
        return standby ? Set.of(NodeChange.STANDBY) : Set.of();
    }

    synchronized void requestReconnect(Duration within) {
        // copied: an agent inside this process may hang up while it is told
        List.copyOf(lines.values())
                .forEach(line -> line.send(new MessageToAgent.Reconnect(within)));
    }

    /** Ends every stream; a peer that does not read may keep its own open for longer. */
    synchronized void endAll(Refused reason) {
        // copied: one inside this process hangs up at once
        List.copyOf(lines.values()).forEach(line -> line.end(reason));
    }
}
