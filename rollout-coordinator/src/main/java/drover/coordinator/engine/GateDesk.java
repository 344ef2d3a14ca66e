package drover.coordinator.engine;

import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.HealthLink.WholeNode;
import drover.coordinator.plan.Cause;
import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.group.GateView;
import drover.coordinator.plan.group.GroupComponent;
import drover.model.GroupId;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the health-evaluator about all programs of all nodes at the gate between two components. A
 * gate has a link of its own, opened after the component's end, so that no verdict is older and no
 * rollout's watch is disturbed. Looked at by one thread, and closed by whoever ends the term, which
 * may be two at once: the process that ends, and the election that is lost meanwhile.
 */
final class GateDesk implements AutoCloseable {
    /** An evaluator that is there answers at once; another one may be. */
    private static final Duration HEARD_WITHIN = Duration.ofSeconds(5);

    private final HealthLink.Dialer dialer;
    private final Supplier<Instant> clock;
    private final Runnable wake;
    private final Map<GroupId, Gate> gates = new HashMap<>(); // at most one per chain

    GateDesk(HealthLink.Dialer dialer, Supplier<Instant> clock, Runnable wake) {
        this.dialer = dialer;
        this.clock = clock;
        this.wake = wake;
    }

    /** What is looked at: a gate that is asked anew is another gate. */
    record Question(GroupComponent after, Instant since) {}

    /**
     * What is known at a group's gate; asks if nobody has.
     *
     * @param nodes the nodes it looks at
     * @param gateways where heartbeats come from
     */
    synchronized GateView look(
            GroupId group, Question question, Set<NodeId> nodes, List<String> gateways) {
        Instant now = clock.get();
        Gate gate = gates.get(group);
        if (gate == null || !gate.asks(question, nodes, gateways)) {
            gate = open(group, new Gate(question, nodes, gateways, now, now));
        } else if (gate.isUnheard(now)) {
            gate = open(group, new Gate(question, nodes, gateways, gate.asked, now));
        }
        return gate.view();
    }

    private Gate open(GroupId group, Gate gate) {
        close(group);
        gates.put(group, gate);
        gate.open();
        return gate;
    }

    /** The gates of other groups than these are over. */
    synchronized void keep(Set<GroupId> wanted) {
        for (GroupId group : List.copyOf(gates.keySet())) {
            if (!wanted.contains(group)) {
                close(group);
            }
        }
    }

    private void close(GroupId group) {
        Gate gate = gates.remove(group);
        if (gate != null) {
            gate.close();
        }
    }

    @Override
    public synchronized void close() {
        keep(Set.of());
    }

    /** One gate, as long as its link lives. */
    private final class Gate implements HealthLink.Events {
        private final Question question;
        private final Set<NodeId> nodes;
        private final List<String> gateways;
        private final Instant asked;
        private final Instant dialled;
        private final Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        private @Nullable HealthLink link;
        private boolean heard;
        private boolean lost;

        Gate(
                Question question,
                Set<NodeId> nodes,
                List<String> gateways,
                Instant asked,
                Instant dialled) {
            this.question = question;
            this.nodes = new TreeSet<>(nodes);
            this.gateways = List.copyOf(gateways);
            this.asked = asked;
            this.dialled = dialled;
        }

        void open() {
            HealthLink opened = dialer.open(this);
            opened.gateways(gateways);
            opened.watchWhole(
                    nodes.stream()
                            .map(
                                    node ->
                                            new WholeNode(
                                                    node,
                                                    question.after().healthWait(),
                                                    question.after().crashLoopRestarts()))
                            .toList());
            synchronized (this) {
                link = opened;
            }
        }

        synchronized boolean isUnheard(Instant now) {
            return !heard && now.isAfter(dialled.plus(HEARD_WITHIN));
        }

        synchronized boolean asks(Question other, Set<NodeId> of, List<String> from) {
            return !lost && question.equals(other) && nodes.equals(of) && gateways.equals(from);
        }

        synchronized GateView view() {
            for (NodeId node : nodes) {
                if (verdicts.get(node) instanceof HealthVerdict.Unhealthy unhealthy) {
                    return new GateView.Shut(because(node, unhealthy));
                }
            }
            for (NodeId node : nodes) {
                if (!(verdicts.get(node) instanceof HealthVerdict.Healthy)) {
                    return new GateView.Waiting(asked, waitingOn(node));
                }
            }
            return new GateView.Open(nodes.size());
        }

        private static Cause because(NodeId node, HealthVerdict.Unhealthy unhealthy) {
            Cause first =
                    unhealthy.findings().isEmpty()
                            ? new Cause("UNHEALTHY", "Unwell.")
                            : unhealthy.findings().getFirst();
            return new Cause(first.code(), "node " + node + ": " + first.sentence());
        }

        private String waitingOn(NodeId node) {
            String why =
                    switch (verdicts.get(node)) {
                        case HealthVerdict.Settling settling -> settling.waitingOn();
                        case HealthVerdict.NoData noData -> noData.why();
                        case null -> "No verdict yet.";
                        case HealthVerdict.Healthy h -> "";
                        case HealthVerdict.Unhealthy u -> "";
                    };
            return "Node " + node + ": " + why;
        }

        @Override
        public synchronized void opened() {
            heard = true;
        }

        @Override
        public void verdicts(Map<NodeId, HealthVerdict> heard) {
            synchronized (this) {
                verdicts.putAll(heard);
            }
            wake.run();
        }

        @Override
        public synchronized void closed() {
            lost = true; // asked anew at the next look
        }

        void close() {
            HealthLink open;
            synchronized (this) {
                lost = true;
                open = link;
                link = null;
            }
            if (open != null) {
                open.close();
            }
        }
    }
}
