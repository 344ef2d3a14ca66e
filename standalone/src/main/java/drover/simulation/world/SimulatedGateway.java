package drover.simulation.world;

import drover.coordinator.peers.GatewayLink;
import drover.gateway.engine.leader.LeaderAttachment;
import drover.gateway.engine.session.AgentHello;
import drover.gateway.engine.session.NodeChange;
import drover.gateway.engine.session.NodeChangeListener;
import drover.gateway.engine.session.SessionTable;
import drover.kit.grpc.Address;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A gateway: the real table of sessions and the real line to the leader, over simulated streams.
 */
public final class SimulatedGateway implements NodeChangeListener {
    public final String id;
    final Address address;
    private final SimulatedWorld world;
    private final List<SimulatedLeaderStream> leaders = new ArrayList<>();
    private final Set<SimulatedAgentStream> streams = new LinkedHashSet<>();
    private final List<SimulatedHeartbeatSubscription> subscriptions = new ArrayList<>();
    private SessionTable table;
    private LeaderAttachment leadership;
    private boolean up = true;
    private int starts;

    SimulatedGateway(String id, SimulatedWorld world) {
        this.id = id;
        this.world = world;
        this.address = new Address.InProcess(id);
        this.table = new SessionTable(world.time::nanos);
        this.leadership = new LeaderAttachment(table);
        table.watch(this);
    }

    boolean isUp() {
        return up;
    }

    /** How often it came back. A connection to the process before is none to this one. */
    int restartCount() {
        return starts;
    }

    SessionTable table() {
        return table;
    }

    LeaderAttachment leadership() {
        return leadership;
    }

    /** Whether this coordinator leads here: it attached and was not let go. */
    boolean isLedBy(SimulatedCoordinator coordinator) {
        return leaders.stream().anyMatch(link -> link.isOf(coordinator));
    }

    /** An agent arrives; answers with its session. */
    String admit(SimulatedAgentStream stream, AgentHello arrival) {
        String session = table.admit(arrival, stream.outbox());
        streams.add(stream);
        sendToLeaders();
        return session;
    }

    /** An agent's stream is over. */
    void disconnectAgent(SimulatedAgentStream stream, String session) {
        streams.remove(stream);
        if (up && !session.isEmpty()) {
            table.removeSession(stream.node().id, session);
            sendToLeaders();
        }
    }

    /** Says to the leaders what there is to say. */
    void sendToLeaders() {
        List.copyOf(leaders).forEach(SimulatedLeaderStream::flush);
    }

    void addLeader(SimulatedLeaderStream link) {
        leaders.add(link);
    }

    void removeLeader(SimulatedLeaderStream link) {
        leaders.remove(link);
    }

    /** Everything in its memory is lost, and every stream breaks. */
    public void crash() {
        world.time.log(id + " is killed");
        up = false;
        List.copyOf(streams).forEach(SimulatedAgentStream::onGatewayStopped);
        streams.clear();
        List.copyOf(leaders).forEach(SimulatedLeaderStream::onGatewayStopped);
        leaders.clear();
    }

    public void restartIfDown() {
        if (!up) {
            world.time.log(id + " is back");
            up = true;
            starts++;
            table = new SessionTable(world.time::nanos);
            leadership = new LeaderAttachment(table);
            table.watch(this);
            List.copyOf(subscriptions).forEach(SimulatedHeartbeatSubscription::resubscribe);
        }
    }

    void addSubscription(SimulatedHeartbeatSubscription ear) {
        subscriptions.add(ear);
    }

    void removeSubscription(SimulatedHeartbeatSubscription ear) {
        subscriptions.remove(ear);
    }

    @Override
    public void nodeChanged(NodeId node, NodeChange change) {
        switch (change) {
            case SESSION, HEARTBEAT -> List.copyOf(subscriptions).forEach(ear -> ear.publish(node));
            case STATUS, INVENTORY, HEALTH, FINDINGS, STANDBY, PREFLIGHT -> {}
        }
    }

    /** The way to this gateway, for a coordinator. */
    GatewayLink attach(
            SimulatedCoordinator from, long epoch, String leader, GatewayLink.Listener events) {
        return new SimulatedLeaderStream(this, from, world, epoch, leader, events);
    }
}
