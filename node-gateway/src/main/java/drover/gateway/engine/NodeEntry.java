package drover.gateway.engine;

import drover.gateway.session.Admission;
import drover.gateway.session.AgentSession;
import drover.gateway.session.CommandWait;
import drover.gateway.session.HeartbeatSlot;
import drover.gateway.session.Inventory;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.NodeSessions;
import drover.gateway.session.NodeView;
import drover.gateway.session.Outgoing;
import drover.gateway.session.Presence;
import drover.gateway.session.Relayed;
import drover.gateway.session.SessionRules;
import drover.gateway.session.StatusSlot;
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
    private final Map<String, AgentLine> lines = new HashMap<>(); // at most two, as the rules say
    private NodeSessions sessions = NodeSessions.NONE;
    private CommandWait wait = CommandWait.NONE;
    private @Nullable Relayed preflight; // null once it was told
    private volatile NodeView view = NodeView.NOTHING;

    NodeView view() {
        return view;
    }

    synchronized Admission admit(
            AgentSession session, Arrival arrival, AgentLine line, long nanos) {
        Admission admission = SessionRules.admit(sessions, session);
        if (admission instanceof Admission.Admitted(NodeSessions next, List<AgentSession> old)) {
            old.forEach(this::supersede);
            sessions = next;
            lines.put(session.id(), line);
            view =
                    session.executor()
                            ? viewWith(session, arrival, nanos)
                            : view.greetedBy(session, arrival.inventory());
            line.tell(new Outgoing.Welcome(session.id()));
        }
        return admission;
    }

    private void supersede(AgentSession old) {
        AgentLine line = lines.remove(old.id());
        if (line != null) {
            line.end(
                    new Refused(
                            RefusalCode.SESSION_SUPERSEDED,
                            "A later connection of this node took over; dial again only after a"
                                    + " pause."));
        }
        forget(old.id());
    }

    /** What this session said holds no more; of the executor the inventory and the slot stay. */
    private void forget(String sessionId) {
        view = view.isHeldBy(sessionId) ? view.left() : view.standbyLeft(sessionId);
    }

    private NodeView viewWith(AgentSession session, Arrival arrival, long nanos) {
        NodeView arrived =
                view.arrived(
                        new Presence(session.id(), arrival.greeting(), arrival.inventory()), nanos);
        return arrival.status()
                .map(report -> arrived.reported(slotOf(report, session.id())))
                .orElse(arrived);
    }

    private static StatusSlot slotOf(Report report, String sessionId) {
        return StatusSlot.of(report.attempt(), report.sequence(), sessionId, report.body());
    }

    /** Takes a status of the connected executor; anybody else's is not heard. */
    synchronized Set<Change> report(String sessionId, Report report) {
        if (!view.isHeldBy(sessionId)) {
            return Set.of();
        }
        NodeView before = view;
        NodeView reported = before.reported(slotOf(report, sessionId));
        if (reported.status().equals(before.status())) {
            return Set.of();
        }
        Inventory inventory =
                inventoryOf(before)
                        .withAttempt(report.attempt())
                        .after(report.signals())
                        .with(report.programs());
        view = reported.holding(inventory);
        return changes(before, Change.STATUS);
    }

    /**
     * Takes a heartbeat of the connected executor; of the standby only what it says of itself.
     * Anybody else's is not heard, nor one that was made before the latest status and tells of a
     * program that has been replaced since.
     */
    synchronized Set<Change> beat(String sessionId, Beat beat, long receivedNanos) {
        NodeView before = view;
        if (before.isStandby(sessionId)) {
            view = before.standbyBeaten(beat.signals(), beat.draining());
            return view.equals(before) ? Set.of() : Set.of(Change.STANDBY);
        }
        if (!before.isHeldBy(sessionId)
                || beat.after().filter(before::hasHeardMoreThan).isPresent()) {
            return Set.of();
        }
        HeartbeatSlot slot =
                new HeartbeatSlot(
                        beat.body(),
                        receivedNanos,
                        NodeHealth.worstOf(beat.conditions()),
                        programs(beat),
                        beat.findings(),
                        beat.sentAt());
        view = before.beaten(slot, inventoryOf(before).after(beat.signals()));
        Set<Change> changes = changes(before, Change.HEARTBEAT);
        boolean noticed =
                before.heartbeat()
                        .map(earlier -> !earlier.findings().equals(beat.findings()))
                        .orElse(true); // a leader asks whether it still notices something
        if (noticed) {
            changes.add(Change.FINDINGS);
        }
        if (!before.heartbeat().filter(slot::isAsHealthyAs).isPresent()) {
            changes.add(Change.HEALTH);
        }
        return changes;
    }

    /** An agent that names a program twice reports the worse of both. */
    private static Map<String, NodeHealth> programs(Beat beat) {
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
    synchronized boolean preflight(String sessionId, Relayed report) {
        if (!view.isHeldBy(sessionId)) {
            return false;
        }
        preflight = report;
        return true;
    }

    /** What a preflight found and nobody was told; afterwards somebody was. */
    synchronized Optional<Relayed> takePreflight() {
        Relayed found = preflight;
        preflight = null;
        return Optional.ofNullable(found);
    }

    private Set<Change> changes(NodeView before, Change certain) {
        return inventoryOf(before).equals(inventoryOf(view))
                ? EnumSet.of(certain)
                : EnumSet.of(certain, Change.INVENTORY);
    }

    private static Inventory inventoryOf(NodeView view) {
        return view.presence().map(Presence::inventory).orElse(Inventory.NONE);
    }

    synchronized void acknowledge(Outgoing.Acknowledgement committed) {
        view = view.acknowledged(committed.attempt(), committed.sequence());
        view.presence().ifPresent(present -> tell(present.sessionId(), committed));
    }

    /** Tells the connected executor, if it is this session's; otherwise drops it (C14). */
    synchronized boolean deliver(String sessionId, Outgoing outgoing, long nanos) {
        boolean told = view.isHeldBy(sessionId) && tell(sessionId, outgoing);
        if (told && outgoing instanceof Outgoing.Work) {
            wait = wait.told(nanos);
        }
        return told;
    }

    /** How long a command waited that this status of the connected executor answers. */
    synchronized OptionalLong answered(String sessionId, long attempt, long nanos) {
        if (!view.isHeldBy(sessionId)) {
            return OptionalLong.empty();
        }
        OptionalLong waited = wait.nanosUntil(attempt, nanos);
        wait = wait.heard(attempt);
        return waited;
    }

    synchronized int streams() {
        return lines.size();
    }

    private boolean tell(String sessionId, Outgoing outgoing) {
        AgentLine line = lines.get(sessionId);
        if (line == null) {
            return false;
        }
        line.tell(outgoing);
        return true;
    }

    /** A session has ended: the executor's, the standby's, or one that was superseded before. */
    synchronized Set<Change> leave(String sessionId) {
        lines.remove(sessionId);
        sessions = sessions.without(sessionId);
        boolean executor = view.isHeldBy(sessionId);
        boolean standby = view.isStandby(sessionId);
        forget(sessionId);
        if (executor) {
            return Set.of(Change.SESSION, Change.INVENTORY);
        }
        return standby ? Set.of(Change.STANDBY) : Set.of();
    }

    synchronized void sendAway(Duration within) {
        // copied: an agent inside this process may hang up while it is told
        List.copyOf(lines.values()).forEach(line -> line.tell(new Outgoing.GoElsewhere(within)));
    }

    /** Ends every stream; a peer that does not read may keep its own open for longer. */
    synchronized void endAll(Refused reason) {
        // copied: one inside this process hangs up at once
        List.copyOf(lines.values()).forEach(line -> line.end(reason));
    }
}
