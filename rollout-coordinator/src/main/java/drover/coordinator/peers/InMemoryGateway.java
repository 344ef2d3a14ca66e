package drover.coordinator.peers;

import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A gateway without a network, for tests and simulations: one slot per node, as the contract says.
 * What it tells a leader is told on a thread of the link, one after the other; what a leader sends
 * is handed to {@link #onDelivery} and {@link #onAcknowledgement}.
 */
public final class InMemoryGateway implements GatewayLink.Connector {
    private final Map<NodeId, NodeView.Present> sessions = new LinkedHashMap<>();
    private final Map<NodeId, GatewayLink.ReportedStatus> slots = new LinkedHashMap<>();
    private final Map<NodeId, List<AgentFinding>> reported = new LinkedHashMap<>();
    private final Set<NodeId> acknowledged = new HashSet<>();
    private Set<NodeId> locked = Set.of();
    private Set<NodeId> misplaced = Set.of();
    private volatile Consumer<GatewayLink.MessageToNode> agents = delivery -> {};
    private volatile Consumer<GatewayLink.StatusAcknowledgementToAgent> acknowledgements =
            ack -> {};
    private @Nullable LeaderLink current;
    private long highestEpoch;

    /** Who gets what is delivered. */
    public void onDelivery(Consumer<GatewayLink.MessageToNode> listener) {
        agents = listener;
    }

    /** Who hears what is acknowledged. */
    public void onAcknowledgement(Consumer<GatewayLink.StatusAcknowledgementToAgent> listener) {
        acknowledgements = listener;
    }

    /** A node dials in, or dials in anew. */
    public synchronized void connect(NodeId node, NodeView.Present session) {
        sessions.put(node, session);
        if (current != null) {
            current.sendConnectionState(node);
        }
    }

    /** A node's session ends. */
    public synchronized void disconnect(NodeId node) {
        sessions.remove(node);
        if (current != null) {
            current.sendConnectionState(node);
        }
    }

    /** An agent says how its attempt stands; a later status replaces an earlier one. */
    public synchronized void report(
            NodeId node, @Nullable RolloutId rollout, AttemptStatus report) {
        slots.put(node, new GatewayLink.ReportedStatus(node, rollout, report, new byte[] {1}));
        acknowledged.remove(node);
        if (current != null) {
            current.sendStatus(node);
        }
    }

    /** An agent notices something by itself, or nothing any more. */
    public synchronized void setFindings(NodeId node, List<AgentFinding> findings) {
        reported.put(node, List.copyOf(findings));
        if (current != null) {
            current.sendFindings(node);
        }
    }

    /** These nodes are locked from now on, and no others. */
    public synchronized void setLockedNodes(Set<NodeId> nodes) {
        locked = Set.copyOf(nodes);
        if (current != null) {
            current.sendLockedNodes();
        }
    }

    /** Agents of others show the credentials of these nodes from now on, and of no others. */
    public synchronized void setMisplacedIdentities(Set<NodeId> nodes) {
        misplaced = Set.copyOf(nodes);
        if (current != null) {
            current.sendMisplacedIdentities();
        }
    }

    /** Whether the node's latest status is acknowledged. */
    public synchronized boolean isAcknowledged(NodeId node) {
        return acknowledged.contains(node);
    }

    @Override
    public synchronized GatewayLink attach(
            String address, long epoch, String leader, GatewayLink.Listener events) {
        LeaderLink line = new LeaderLink(events);
        if (epoch < highestEpoch) {
            line.end(true);
            return line;
        }
        highestEpoch = epoch;
        if (current != null) {
            current.end(true);
        }
        current = line;
        line.start();
        return line;
    }

    private synchronized void acknowledge(GatewayLink.StatusAcknowledgementToAgent ack) {
        GatewayLink.ReportedStatus slot = slots.get(ack.node());
        if (slot != null
                && slot.status().attempt() == ack.attempt()
                && slot.status().sequence() <= ack.sequence()) {
            acknowledged.add(ack.node());
        }
    }

    /** One attached leader. */
    private final class LeaderLink implements GatewayLink {
        private final GatewayLink.Listener events;
        private final Set<NodeId> wanted = new HashSet<>();
        private final ExecutorService voice =
                Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
        private boolean ended;

        LeaderLink(GatewayLink.Listener events) {
            this.events = events;
        }

        void start() {
            voice.execute(events::onOpened);
            slots.keySet().stream()
                    .filter(node -> !acknowledged.contains(node))
                    .forEach(this::sendStatus);
            reported.keySet().forEach(this::sendFindings);
            sendLockedNodes();
            sendMisplacedIdentities();
            voice.execute(() -> events.onSnapshotEnd(0));
        }

        void end(boolean stale) {
            if (!ended) {
                ended = true;
                voice.execute(() -> events.onClosed(stale));
                voice.shutdown();
            }
        }

        private void enqueue(Runnable what) {
            if (!ended) {
                voice.execute(what);
            }
        }

        void sendConnectionState(NodeId node) {
            NodeView.Present session = sessions.get(node);
            if (!wanted.contains(node)) {
                return;
            }
            if (session == null) {
                enqueue(() -> events.onDisconnected(List.of(node)));
            } else {
                enqueue(() -> events.onConnected(List.of(new ConnectedNode(node, 1, 1, session))));
            }
        }

        void sendFindings(NodeId node) {
            List<AgentFinding> findings = reported.get(node);
            if (findings != null) {
                enqueue(() -> events.onFindings(Map.of(node, findings)));
            }
        }

        void sendLockedNodes() {
            Set<NodeId> now = locked;
            enqueue(() -> events.onLockedNodes(now));
        }

        void sendMisplacedIdentities() {
            Set<NodeId> now = misplaced;
            enqueue(() -> events.onMisplacedIdentities(now));
        }

        void sendStatus(NodeId node) {
            ReportedStatus slot = slots.get(node);
            if (slot != null && (wanted.contains(node) || !acknowledged.contains(node))) {
                enqueue(() -> events.onStatuses(List.of(slot)));
            }
        }

        @Override
        public void sendInterest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {
            synchronized (InMemoryGateway.this) {
                remove.forEach(wanted::remove);
                for (NodeId node : add) {
                    wanted.add(node);
                    sendConnectionState(node);
                    sendStatus(node);
                }
                enqueue(() -> events.onSnapshotEnd(revision));
            }
        }

        @Override
        public void send(List<MessageToNode> deliveries) {
            List<MessageToNode> current = new ArrayList<>();
            synchronized (InMemoryGateway.this) {
                deliveries.stream().filter(this::isCurrent).forEach(current::add);
            }
            current.forEach(agents);
        }

        /** What was meant for an earlier session is dropped (invariants C13, C14). */
        private boolean isCurrent(MessageToNode delivery) {
            NodeView.Present session = sessions.get(delivery.node());
            return !ended && session != null && session.session().equals(delivery.session());
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> wanted) {
            for (StatusAcknowledgementToAgent ack : wanted) {
                acknowledgements.accept(ack);
                InMemoryGateway.this.acknowledge(ack);
            }
        }

        @Override
        public void close() {
            synchronized (InMemoryGateway.this) {
                if (!ended) {
                    ended = true;
                    voice.shutdown();
                }
                if (current == this) {
                    current = null;
                }
            }
        }
    }
}
