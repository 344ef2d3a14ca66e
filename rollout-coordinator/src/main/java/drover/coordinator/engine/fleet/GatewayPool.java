package drover.coordinator.engine.fleet;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedProgramHealth;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
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
    private final Consumer<Map<NodeId, AgentPreflightReport>> preflights;
    private final LongSupplier nanos;
    private final LoopMeter meter;
    private final Map<String, AttachedGateway> attached = new HashMap<>();
    private final UnregisteredGatewaysToReconnect lost = new UnregisteredGatewaysToReconnect();
    private Set<String> registered = Set.of(); // as of the last look
    private boolean closed;

    public GatewayPool(
            GatewayLink.Connector dialer,
            FleetCache mirror,
            long epoch,
            String leader,
            Consumer<Collection<NodeId>> wake,
            Runnable stepDown,
            Consumer<Map<NodeId, AgentPreflightReport>> preflights,
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

    private record AttachedGateway(String address, GatewayLink link, GatewayListener events) {}

    /**
     * Attaches to gateways that are new and lets go of those that are not registered any more,
     * unless they still answer: whoever lost its own way to the database alone is heard as before,
     * and no node at it is taken for gone (invariant A7). One whose link breaks then is dialled
     * again for a while.
     *
     * @return those that are followed now
     */
    public synchronized List<RegisteredGateway> updateGateways(List<RegisteredGateway> now) {
        if (closed) {
            return List.of();
        }
        registered = now.stream().map(RegisteredGateway::id).collect(Collectors.toSet());
        Map<String, String> wanted = wantedGateways(now);
        attached.entrySet()
                .removeIf(entry -> closeIfObsolete(entry.getKey(), entry.getValue(), wanted));
        mirror.setGateways(wanted.keySet());
        mirror.setGatewaysWithoutDatabase(
                wanted.keySet().stream().filter(id -> !registered.contains(id)).toList());
        wanted.forEach(
                (id, address) -> {
                    if (!attached.containsKey(id)) {
                        attachNew(id, address);
                    }
                });
        return wanted.entrySet().stream()
                .map(gateway -> new RegisteredGateway(gateway.getKey(), gateway.getValue()))
                .toList();
    }

    /** Ids with addresses, in an order that does not change. */
    private Map<String, String> wantedGateways(List<RegisteredGateway> now) {
        Map<String, String> wanted =
                new TreeMap<>(
                        lost.pruneAndListUnregisteredAddresses(
                                now, attached.keySet(), nanos.getAsLong()));
        attached.forEach(
                (id, gateway) -> {
                    if (gateway.events().checkResponsive()) {
                        wanted.put(id, gateway.address());
                    } else if (gateway.events().accepted) {
                        wanted.remove(id); // it was found, and is not at work
                    }
                });
        now.forEach(gateway -> wanted.put(gateway.id(), gateway.address()));
        return wanted;
    }

    private boolean closeIfObsolete(
            String id, AttachedGateway gateway, Map<String, String> wanted) {
        if (gateway.address().equals(wanted.get(id))) {
            return false;
        }
        LOG.info("Letting go of a gateway gatewayId={} address={}", id, gateway.address());
        gateway.link().close();
        lost.forget(id);
        mirror.markGatewayLost(id);
        return true;
    }

    private void attachNew(String id, String address) {
        LOG.info("Attaching to a gateway gatewayId={} address={} epoch={}", id, address, epoch);
        GatewayListener hearing = new GatewayListener(id);
        GatewayLink link = dialer.attach(address, epoch, leader, hearing);
        AttachedGateway started = new AttachedGateway(address, link, hearing);
        attached.put(id, started);
        sendInterest(started, mirror.interestRevision(), mirror.nodesOfInterest(), List.of());
    }

    public synchronized void broadcastInterest(
            long revision, Collection<NodeId> added, Collection<NodeId> removed) {
        attached.values().forEach(gateway -> sendInterest(gateway, revision, added, removed));
    }

    private void sendInterest(
            AttachedGateway gateway,
            long revision,
            Collection<NodeId> added,
            Collection<NodeId> removed) {
        gateway.events().owed.recordRequest(revision, nanos.getAsLong());
        gateway.link().sendInterest(revision, added, removed);
    }

    /**
     * Sends, but for commands of nodes that were barred since somebody asked whether they may go
     * out: whoever barred them has dropped before what waited then (invariant H3).
     */
    public synchronized void deliver(String gateway, List<MessageToNode> deliveries) {
        AttachedGateway to = attached.get(gateway);
        if (to != null) {
            Set<NodeId> blocked = mirror.blockedNodes();
            to.link()
                    .send(
                            deliveries.stream()
                                    .filter(
                                            delivery ->
                                                    !(delivery instanceof MessageToNode.Command)
                                                            || !blocked.contains(delivery.node()))
                                    .toList());
        }
    }

    /** No command that waits for a slow gateway goes out to these nodes. */
    public synchronized void dropCommands(Collection<NodeId> nodes) {
        attached.values().forEach(gateway -> gateway.link().dropCommands(nodes));
    }

    public synchronized void broadcastAcknowledgements(
            List<StatusAcknowledgementToAgent> acknowledgements) {
        attached.values().forEach(gateway -> gateway.link().acknowledge(acknowledgements));
    }

    /** The end of a link that was replaced meanwhile says nothing of the new one. */
    private synchronized void handleLinkClosed(String id, GatewayListener hearing) {
        AttachedGateway current = attached.get(id);
        if (current != null && current.events() == hearing) {
            attached.remove(id);
            if (hearing.accepted && !registered.contains(id)) {
                long now = nanos.getAsLong();
                lost.add(id, current.address(), now, hearing.wasStable(now));
            }
            mirror.markGatewayLost(id);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        attached.values().forEach(gateway -> gateway.link().close());
        attached.clear();
    }

    /** What one gateway says. */
    private final class GatewayListener implements GatewayLink.Listener {
        private final String id;
        private final GatewayResponseMonitor owed = new GatewayResponseMonitor(nanos.getAsLong());
        private final long started = nanos.getAsLong();
        private volatile boolean accepted;
        private volatile boolean answered;

        GatewayListener(String id) {
            this.id = id;
        }

        /**
         * One look whether it took this leader, and answers it; a link that is over is not attached
         * any more.
         */
        boolean checkResponsive() {
            return accepted && !owed.checkRepeatedlyOverdue(nanos.getAsLong());
        }

        private void markReceived() {
            owed.recordMessage(nanos.getAsLong());
        }

        /** Whether it was at work for as long as a lost one is dialled. */
        boolean wasStable(long now) {
            return answered
                    && now - started >= UnregisteredGatewaysToReconnect.RECONNECT_FOR.toNanos();
        }

        @Override
        public void onOpened() {
            markReceived();
            accepted = true;
            LOG.info("A gateway accepted this leader gatewayId={} epoch={}", id, epoch);
        }

        @Override
        public void onConnected(List<ConnectedNode> nodes) {
            markReceived();
            mirror.applyConnected(id, nodes);
            wake.accept(nodes.stream().map(ConnectedNode::node).toList());
        }

        @Override
        public void onDisconnected(List<NodeId> nodes) {
            markReceived();
            mirror.applyDisconnected(id, nodes);
            wake.accept(nodes);
        }

        @Override
        public void onStatuses(List<ReportedStatus> reports) {
            markReceived();
            mirror.applyStatuses(reports);
            wake.accept(reports.stream().map(ReportedStatus::node).toList());
        }

        @Override
        public void onFindings(Map<NodeId, List<AgentFinding>> findings) {
            markReceived();
            mirror.findings().replaceFindings(findings);
            wake.accept(findings.keySet());
        }

        @Override
        public void onProgramHealth(Map<NodeId, List<ReportedProgramHealth>> nodes) {
            markReceived();
            mirror.applyProgramHealth(id, nodes);
            wake.accept(nodes.keySet());
        }

        @Override
        public void onStandbys(Map<NodeId, Optional<StandbyAgent>> standbys) {
            markReceived();
            mirror.applyStandbys(id, standbys);
            wake.accept(standbys.keySet());
        }

        @Override
        public void onRejectedMessages(Map<NodeId, String> nodes) {
            nodes.keySet().forEach(_ -> meter.recordInvalidMessage());
            mirror.findings().addRejectedMessages(nodes);
        }

        @Override
        public void onLockedNodes(Set<NodeId> nodes) {
            markReceived();
            mirror.findings().setLockedNodes(id, nodes);
        }

        @Override
        public void onMisplacedIdentities(Set<NodeId> nodes) {
            markReceived();
            mirror.findings().setMisplacedIdentities(id, nodes);
        }

        @Override
        public void onPreflightReports(Map<NodeId, AgentPreflightReport> reports) {
            markReceived();
            preflights.accept(reports);
        }

        @Override
        public void onSnapshotEnd(long revision) {
            answered = true;
            owed.recordResponse(revision, nanos.getAsLong());
            mirror.applySnapshotEnd(id, revision);
            wake.accept(mirror.nodesOfInterest());
        }

        @Override
        public void onClosed(boolean stale) {
            handleLinkClosed(id, this);
            if (stale) {
                LOG.warn("A gateway follows a later leader gatewayId={} epoch={}", id, epoch);
                stepDown.run();
            }
        }
    }
}
