package drover.coordinator.engine.fleet;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.ReportedHealth;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.preflight.PreflightReport;
import drover.coordinator.store.gateway.GatewayRegistry.Registered;
import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateways this leader is attached to; what they say goes into the mirror and wakes the loops
 * concerned.
 */
public final class GatewayPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayPool.class);

    private final GatewayLink.Connector dialer;
    private final FleetCache mirror;
    private final long epoch;
    private final String leader;
    private final Consumer<Collection<NodeId>> wake;
    private final Runnable stepDown;
    private final Consumer<Map<NodeId, PreflightReport>> preflights;
    private final LongSupplier nanos;
    private final LoopMeter meter;
    private final Map<String, Attached> attached = new HashMap<>();
    private final GatewayReconnects lost = new GatewayReconnects();
    private Set<String> registered = Set.of(); // as of the last look
    private boolean closed;

    public GatewayPool(
            GatewayLink.Connector dialer,
            FleetCache mirror,
            long epoch,
            String leader,
            Consumer<Collection<NodeId>> wake,
            Runnable stepDown,
            Consumer<Map<NodeId, PreflightReport>> preflights,
            LongSupplier nanos,
            LoopMeter meter) {
        this.meter = meter;
        this.dialer = dialer;
        this.mirror = mirror;
        this.epoch = epoch;
        this.leader = leader;
        this.wake = wake;
        this.stepDown = stepDown;
        this.preflights = preflights;
        this.nanos = nanos;
    }

    private record Attached(String address, GatewayLink link, GatewayEvents events) {}

    /**
     * Attaches to gateways that are new and lets go of those that are not registered any more,
     * unless they still answer: whoever lost its own way to the database alone is heard as before,
     * and no node at it is taken for gone (invariant A7). One whose link breaks then is dialled
     * again for a while.
     *
     * @return those that are followed now
     */
    public synchronized List<Registered> follow(List<Registered> now) {
        if (closed) {
            return List.of();
        }
        registered = now.stream().map(Registered::id).collect(Collectors.toSet());
        Map<String, String> wanted = wanted(now);
        attached.entrySet().removeIf(entry -> isObsolete(entry.getKey(), entry.getValue(), wanted));
        mirror.gateways(wanted.keySet());
        mirror.setGatewaysWithoutDatabase(
                wanted.keySet().stream().filter(id -> !registered.contains(id)).toList());
        wanted.forEach(
                (id, address) -> {
                    if (!attached.containsKey(id)) {
                        attach(id, address);
                    }
                });
        return wanted.entrySet().stream()
                .map(gateway -> new Registered(gateway.getKey(), gateway.getValue()))
                .toList();
    }

    /** Ids with addresses, in an order that does not change. */
    private Map<String, String> wanted(List<Registered> now) {
        Map<String, String> wanted =
                new TreeMap<>(lost.reconnectAddresses(now, attached.keySet(), nanos.getAsLong()));
        attached.forEach(
                (id, gateway) -> {
                    if (gateway.events().isResponsive()) {
                        wanted.put(id, gateway.address());
                    } else if (gateway.events().accepted) {
                        wanted.remove(id); // it was found, and is not at work
                    }
                });
        now.forEach(gateway -> wanted.put(gateway.id(), gateway.address()));
        return wanted;
    }

    private boolean isObsolete(String id, Attached gateway, Map<String, String> wanted) {
        if (gateway.address().equals(wanted.get(id))) {
            return false;
        }
        LOG.info("Letting go of a gateway gatewayId={} address={}", id, gateway.address());
        gateway.link().close();
        lost.forget(id);
        mirror.gatewayLost(id);
        return true;
    }

    private void attach(String id, String address) {
        LOG.info("Attaching to a gateway gatewayId={} address={} epoch={}", id, address, epoch);
        GatewayEvents hearing = new GatewayEvents(id);
        GatewayLink link = dialer.attach(address, epoch, leader, hearing);
        Attached started = new Attached(address, link, hearing);
        attached.put(id, started);
        sendInterest(started, mirror.revision(), mirror.interest(), List.of());
    }

    public synchronized void interest(
            long revision, Collection<NodeId> added, Collection<NodeId> removed) {
        attached.values().forEach(gateway -> sendInterest(gateway, revision, added, removed));
    }

    private void sendInterest(
            Attached gateway, long revision, Collection<NodeId> added, Collection<NodeId> removed) {
        gateway.events().owed.requested(revision, nanos.getAsLong());
        gateway.link().interest(revision, added, removed);
    }

    /**
     * Sends, but for commands of nodes that were barred since somebody asked whether they may go
     * out: whoever barred them has dropped before what waited then (invariant H3).
     */
    public synchronized void deliver(String gateway, List<Delivery> deliveries) {
        Attached to = attached.get(gateway);
        if (to != null) {
            Set<NodeId> blocked = mirror.blocked();
            to.link()
                    .send(
                            deliveries.stream()
                                    .filter(
                                            delivery ->
                                                    !(delivery instanceof Delivery.Command)
                                                            || !blocked.contains(delivery.node()))
                                    .toList());
        }
    }

    /** No command that waits for a slow gateway goes out to these nodes. */
    public synchronized void drop(Collection<NodeId> nodes) {
        attached.values().forEach(gateway -> gateway.link().drop(nodes));
    }

    public synchronized void acknowledge(List<Acknowledgement> acknowledgements) {
        attached.values().forEach(gateway -> gateway.link().acknowledge(acknowledgements));
    }

    /** The end of a link that was replaced meanwhile says nothing of the new one. */
    private synchronized void lost(String id, GatewayEvents hearing) {
        Attached current = attached.get(id);
        if (current != null && current.events() == hearing) {
            attached.remove(id);
            if (hearing.accepted && !registered.contains(id)) {
                long now = nanos.getAsLong();
                lost.add(id, current.address(), now, hearing.wasStable(now));
            }
            mirror.gatewayLost(id);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        attached.values().forEach(gateway -> gateway.link().close());
        attached.clear();
    }

    /** What one gateway says. */
    private final class GatewayEvents implements GatewayLink.Events {
        private final String id;
        private final GatewayLiveness owed = new GatewayLiveness(nanos.getAsLong());
        private final long started = nanos.getAsLong();
        private volatile boolean accepted;
        private volatile boolean answered;

        GatewayEvents(String id) {
            this.id = id;
        }

        /**
         * One look whether it took this leader, and answers it; a link that is over is not attached
         * any more.
         */
        boolean isResponsive() {
            return accepted && !owed.isOverdueAgain(nanos.getAsLong());
        }

        private void markReceived() {
            owed.received(nanos.getAsLong());
        }

        /** Whether it was at work for as long as a lost one is dialled. */
        boolean wasStable(long now) {
            return answered && now - started >= GatewayReconnects.RECONNECT_FOR.toNanos();
        }

        @Override
        public void opened() {
            markReceived();
            accepted = true;
            LOG.info("A gateway accepted this leader gatewayId={} epoch={}", id, epoch);
        }

        @Override
        public void connected(List<ConnectedNode> nodes) {
            markReceived();
            mirror.connected(id, nodes);
            wake.accept(nodes.stream().map(ConnectedNode::node).toList());
        }

        @Override
        public void disconnected(List<NodeId> nodes) {
            markReceived();
            mirror.disconnected(id, nodes);
            wake.accept(nodes);
        }

        @Override
        public void statuses(List<ReportedStatus> reports) {
            markReceived();
            mirror.applyStatuses(reports);
            wake.accept(reports.stream().map(ReportedStatus::node).toList());
        }

        @Override
        public void findings(Map<NodeId, List<AgentFinding>> findings) {
            markReceived();
            mirror.findings().update(findings);
            wake.accept(findings.keySet());
        }

        @Override
        public void conditions(Map<NodeId, List<ReportedHealth>> nodes) {
            markReceived();
            mirror.conditions(id, nodes);
            wake.accept(nodes.keySet());
        }

        @Override
        public void standbys(Map<NodeId, Optional<StandbyAgent>> standbys) {
            markReceived();
            mirror.standbys(id, standbys);
            wake.accept(standbys.keySet());
        }

        @Override
        public void rejected(Map<NodeId, String> nodes) {
            nodes.keySet().forEach(_ -> meter.rejected());
            mirror.findings().rejected(nodes);
        }

        @Override
        public void locked(Set<NodeId> nodes) {
            markReceived();
            mirror.findings().locked(id, nodes);
        }

        @Override
        public void misplaced(Set<NodeId> nodes) {
            markReceived();
            mirror.findings().misplaced(id, nodes);
        }

        @Override
        public void preflights(Map<NodeId, PreflightReport> reports) {
            markReceived();
            preflights.accept(reports);
        }

        @Override
        public void snapshotEnd(long revision) {
            answered = true;
            owed.responded(revision, nanos.getAsLong());
            mirror.snapshotEnd(id, revision);
            wake.accept(mirror.interest());
        }

        @Override
        public void closed(boolean stale) {
            lost(id, this);
            if (stale) {
                LOG.warn("A gateway follows a later leader gatewayId={} epoch={}", id, epoch);
                stepDown.run();
            }
        }
    }
}
