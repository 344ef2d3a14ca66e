package drover.gateway.engine;

import drover.gateway.session.HeartbeatSlot;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.NodeView;
import drover.gateway.session.NoticedFinding;
import drover.gateway.session.Presence;
import drover.gateway.session.Program;
import drover.gateway.session.Relayed;
import drover.gateway.session.StandbyAgent;
import drover.gateway.session.StatusSlot;
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
public final class LeaderLine implements NodeWatcher {
    private static final int FINDING_BYTES = 16; // overhead next to a code, a name and a sentence
    private static final int CONDITION_BYTES = 256; // a name, a level and a sentence
    private static final int STANDBY_BYTES = 256; // two ids, a version and a digest
    private static final long OPENING = 0; // the snapshot of unacknowledged statuses

    private final SessionTable table;
    private final Wire<LeaderMessage> wire;
    private final Consumer<Runnable> starter;
    private final DirtyNodes dirty = new DirtyNodes();
    // All are the writer's alone.
    private final Set<NodeId> interest = new HashSet<>();
    private final Map<NodeId, Seen> saidSession = new HashMap<>();
    private final Map<NodeId, Said> saidStatus = new HashMap<>();
    private final Map<NodeId, List<NoticedFinding>> saidFindings = new HashMap<>();
    private final Map<NodeId, StandbyAgent> saidStandby = new HashMap<>();
    private final Map<NodeId, HeartbeatSlot> sentHealth = new HashMap<>();
    private Optional<Set<NodeId>> saidLocked = Optional.empty();
    private Optional<Set<NodeId>> saidMisplaced = Optional.empty();
    private final Bundle<NodeId, Presence> present = new Bundle<>();
    private final Bundle<NodeId, Boolean> gone = new Bundle<>();
    private final Bundle<NodeId, StatusSlot> statuses = new Bundle<>();
    private final Bundle<NodeId, List<NoticedFinding>> findings = new Bundle<>();
    private final Bundle<NodeId, StandbyAgent> standbys = new Bundle<>();
    private final Bundle<NodeId, Map<String, NodeHealth>> conditions = new Bundle<>();
    private final Bundle<NodeId, Relayed> preflights = new Bundle<>();

    /** Which session was said last, and what ran there; the attempt floor comes with statuses. */
    private record Seen(String session, List<Program> programs) {
        private static final Seen GONE = new Seen("", List.of());

        private static Seen of(Presence presence) {
            return new Seen(presence.sessionId(), presence.inventory().programs());
        }
    }

    /** Which status was said last. */
    private record Said(long attempt, long sequence) {}

    /** A line that says nothing until it is opened. */
    public LeaderLine(SessionTable table, Wire<LeaderMessage> wire) {
        this(table, wire, writer -> Thread.ofVirtual().name("leader-line").start(writer));
    }

    /**
     * The same with a writer that somebody else runs.
     *
     * @param starter given the writer, which waits for what there is to say until the line closes;
     *     who does not run it calls {@link #say} instead
     */
    public LeaderLine(SessionTable table, Wire<LeaderMessage> wire, Consumer<Runnable> starter) {
        this.table = table;
        this.wire = wire;
        this.starter = starter;
    }

    /** Writes what there is to say now, without waiting. For a line whose writer is not run. */
    public void say() throws InterruptedException {
        while (!dirty.isClosed() && !dirty.isEmpty()) {
            write(dirty.take());
        }
    }

    /** Begins with every unacknowledged status (invariant C10). */
    void open(long highestEpoch) {
        table.watch(this);
        table.forEach((node, _) -> dirty.mark(node));
        dirty.ask(Set.of(), Set.of(), OPENING);
        starter.accept(() -> write(highestEpoch));
    }

    /** Changes which nodes the leader is interested in; each added one is answered. */
    void interest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {
        dirty.ask(add, remove, revision);
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
    public void changed(NodeId node, Change change) {
        switch (change) {
            case SESSION, STATUS, INVENTORY, HEALTH, FINDINGS, STANDBY, PREFLIGHT ->
                    dirty.mark(node);
            case HEARTBEAT -> {} // an evaluator judges it
        }
    }

    @Override
    public void locksChanged() {
        dirty.wake();
    }

    private void write(long highestEpoch) {
        try {
            boolean open = wire.send(new LeaderMessage.Opened(highestEpoch));
            while (open && !dirty.isClosed()) {
                open = write(dirty.take());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it but the end of the process
        } finally {
            close();
        }
    }

    private boolean write(DirtyNodes.Round round) throws InterruptedException {
        round.update(interest);
        for (Map.Entry<NodeId, Boolean> node : round.nodes().entrySet()) {
            gather(node.getKey(), node.getValue());
            if (isFull() && !flush()) {
                return false;
            }
        }
        boolean open = flush() && sayLocked() && sayMisplaced();
        for (long revision : round.revisions()) {
            open = open && wire.send(new LeaderMessage.SnapshotEnd(revision));
        }
        return open;
    }

    /** All of them at once: whoever is not among them is locked no more. */
    private boolean sayLocked() throws InterruptedException {
        Optional<Set<NodeId>> now = table.locked();
        if (now.equals(saidLocked)) {
            return true;
        }
        saidLocked = now;
        return now.isEmpty() || wire.send(new LeaderMessage.Locked(now.get()));
    }

    /**
     * The same; that there is none is said too, since a gateway that has begun anew knows of none.
     */
    private boolean sayMisplaced() throws InterruptedException {
        Optional<Set<NodeId>> now = Optional.of(table.misplaced());
        if (now.equals(saidMisplaced)) {
            return true;
        }
        saidMisplaced = now;
        return wire.send(new LeaderMessage.Misplaced(now.get()));
    }

    private boolean isFull() {
        return present.isFull()
                || gone.isFull()
                || statuses.isFull()
                || findings.isFull()
                || standbys.isFull()
                || conditions.isFull()
                || preflights.isFull();
    }

    private void gather(NodeId node, boolean asked) {
        NodeView view = table.view(node);
        boolean wanted = interest.contains(node);
        if (wanted) {
            gatherSession(node, view, asked);
            gatherStandby(node, view.standby(), asked);
            gatherHealth(node, view, asked);
        } else {
            sentHealth.remove(node);
            saidSession.remove(node);
            saidStandby.remove(node);
        }
        view.status()
                .filter(slot -> wanted || !slot.acknowledged())
                .filter(slot -> asked || !wasSaid(node, slot))
                .ifPresent(
                        slot -> {
                            saidStatus.put(node, new Said(slot.attempt(), slot.sequence()));
                            statuses.put(node, slot, slot.body().bytes());
                        });
        if (wanted) {
            table.takePreflight(node)
                    .ifPresent(report -> preflights.put(node, report, report.bytes()));
        }
        noticed(node, view)
                .ifPresentOrElse(
                        now -> gatherFindings(node, now, wanted, asked),
                        () -> saidFindings.remove(node)); // whoever comes back says it again
    }

    /**
     * Findings of a node: of its latest heartbeat, and of a message that was rejected. Empty when
     * the node sent neither.
     */
    private Optional<List<NoticedFinding>> noticed(NodeId node, NodeView view) {
        Optional<List<NoticedFinding>> own =
                view.presence().isPresent()
                        ? view.heartbeat().map(HeartbeatSlot::findings)
                        : Optional.empty();
        return table.rejection(node)
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
            NodeId node, List<NoticedFinding> now, boolean wanted, boolean asked) {
        List<NoticedFinding> said = saidFindings.get(node);
        boolean news = said == null ? wanted || !now.isEmpty() : !now.equals(said);
        if (news || (asked && wanted)) {
            saidFindings.put(node, now);
            findings.put(node, now, now.stream().mapToInt(LeaderLine::bytes).sum());
        }
    }

    private static int bytes(NoticedFinding finding) {
        return FINDING_BYTES
                + finding.code().length()
                + finding.program().length()
                + finding.detail().length();
    }

    private void gatherSession(NodeId node, NodeView view, boolean asked) {
        Seen now = view.presence().map(Seen::of).orElse(Seen.GONE);
        if (now.equals(saidSession.put(node, now)) && !asked) {
            return;
        }
        view.presence()
                .ifPresentOrElse(
                        presence ->
                                present.put(
                                        node,
                                        presence,
                                        presence.greeting().bytes() + presence.inventory().bytes()),
                        () -> gone.put(node, true, 0));
    }

    /** That there is none is said only after one was: hardly a node ever has a second agent. */
    private void gatherStandby(NodeId node, StandbyAgent now, boolean asked) {
        StandbyAgent said = saidStandby.getOrDefault(node, StandbyAgent.NONE);
        boolean none = now.equals(StandbyAgent.NONE);
        if (!now.equals(said) || (asked && !none)) {
            saidStandby.put(node, now);
            standbys.put(node, now, STANDBY_BYTES);
        }
    }

    /**
     * A node without a session or heartbeat has no health; the leader forgets it with the session.
     */
    private void gatherHealth(NodeId node, NodeView view, boolean asked) {
        Optional<HeartbeatSlot> now =
                view.presence().isPresent() ? view.heartbeat() : Optional.empty();
        if (now.isEmpty()) {
            sentHealth.remove(node);
            return;
        }
        HeartbeatSlot sent = sentHealth.put(node, now.get());
        if (asked || sent == null || !sent.isAsHealthyAs(now.get())) {
            Map<String, NodeHealth> programs = now.get().programs();
            conditions.put(node, programs, CONDITION_BYTES * programs.size());
        }
    }

    private boolean wasSaid(NodeId node, StatusSlot slot) {
        return new Said(slot.attempt(), slot.sequence()).equals(saidStatus.get(node));
    }

    /** Sessions first, so that a status never names a session that the leader has not met. */
    private boolean flush() throws InterruptedException {
        return (present.isEmpty() || wire.send(new LeaderMessage.Present(present.take())))
                && (gone.isEmpty()
                        || wire.send(
                                new LeaderMessage.Gone(
                                        gone.take().keySet().stream().sorted().toList())))
                && (statuses.isEmpty() || wire.send(new LeaderMessage.Statuses(statuses.take())))
                && (findings.isEmpty() || wire.send(new LeaderMessage.Noticed(findings.take())))
                && (conditions.isEmpty()
                        || wire.send(new LeaderMessage.Conditions(conditions.take())))
                && (standbys.isEmpty() || wire.send(new LeaderMessage.Standbys(standbys.take())))
                && (preflights.isEmpty()
                        || wire.send(new LeaderMessage.Preflights(preflights.take())));
    }
}
