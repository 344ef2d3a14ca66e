package drover.standalone.simulation;

import drover.coordinator.peers.GatewayLink;
import drover.gateway.engine.leader.AttachedLeader;
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
final class SimulatedGateway implements NodeChangeListener {
    final String id;
    final Address address;
    private final World world;
    private final List<LeaderLink> leaders = new ArrayList<>();
    private final Set<AgentStream> streams = new LinkedHashSet<>();
    private final List<HeartbeatEar> ears = new ArrayList<>();
    private SessionTable table;
    private AttachedLeader leadership;
    private boolean up = true;
    private int starts;

    SimulatedGateway(String id, World world) {
        this.id = id;
        this.world = world;
        this.address = new Address.InProcess(id);
        this.table = new SessionTable(world.time::nanos);
        this.leadership = new AttachedLeader(table);
        table.watch(this);
    }

    boolean isUp() {
        return up;
    }

    /** How often it came back. A connection to the process before is none to this one. */
    int starts() {
        return starts;
    }

    SessionTable table() {
        return table;
    }

    AttachedLeader leadership() {
        return leadership;
    }

    /** Whether this coordinator leads here: it attached and was not let go. */
    boolean isLedBy(SimulatedCoordinator coordinator) {
        return leaders.stream().anyMatch(link -> link.isOf(coordinator));
    }

    /** An agent arrives; answers with its session. */
    String admit(AgentStream stream, AgentHello arrival) {
        String session = table.admit(arrival, stream.line());
        streams.add(stream);
        speak();
        return session;
    }

    /** An agent's stream is over. */
    void left(AgentStream stream, String session) {
        streams.remove(stream);
        if (up && !session.isEmpty()) {
            table.disconnect(stream.node().id, session);
            speak();
        }
    }

    /** Says to the leaders what there is to say. */
    void speak() {
        List.copyOf(leaders).forEach(LeaderLink::speak);
    }

    void attached(LeaderLink link) {
        leaders.add(link);
    }

    void detached(LeaderLink link) {
        leaders.remove(link);
    }

    /** Everything in its memory is lost, and every stream breaks. */
    void crash() {
        world.time.tell(id + " is killed");
        up = false;
        List.copyOf(streams).forEach(AgentStream::gatewayGone);
        streams.clear();
        List.copyOf(leaders).forEach(LeaderLink::gatewayGone);
        leaders.clear();
    }

    void restart() {
        if (!up) {
            world.time.tell(id + " is back");
            up = true;
            starts++;
            table = new SessionTable(world.time::nanos);
            leadership = new AttachedLeader(table);
            table.watch(this);
            List.copyOf(ears).forEach(HeartbeatEar::asksAnew);
        }
    }

    void listen(HeartbeatEar ear) {
        ears.add(ear);
    }

    void stopListening(HeartbeatEar ear) {
        ears.remove(ear);
    }

    @Override
    public void changed(NodeId node, NodeChange change) {
        switch (change) {
            case SESSION, HEARTBEAT -> List.copyOf(ears).forEach(ear -> ear.tell(node));
            case STATUS, INVENTORY, HEALTH, FINDINGS, STANDBY, PREFLIGHT -> {}
        }
    }

    /** The way to this gateway, for a coordinator. */
    GatewayLink attach(
            SimulatedCoordinator from, long epoch, String leader, GatewayLink.Events events) {
        return new LeaderLink(this, from, world, epoch, leader, events);
    }
}
