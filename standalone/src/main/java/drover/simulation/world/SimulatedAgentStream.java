package drover.simulation.world;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.agent.v1.Welcome;
import drover.gateway.api.AgentProtos;
import drover.gateway.api.HeartbeatProtos;
import drover.gateway.engine.session.AgentMessageStream;
import drover.gateway.engine.session.AgentOutboxWriter;
import drover.gateway.session.AgentMessage;
import drover.kit.grpc.Refused;
import java.time.Duration;

/** One stream between an agent and a gateway; each end learns of its end in its own time. */
final class SimulatedAgentStream implements AgentMessageStream {
    private static final long IDLE_SECONDS = 30; // as gateways say by themselves
    private static final long ACTIVE_SECONDS = 5;
    private static final Duration DETECTION = Duration.ofSeconds(20); // keep-alive, at the latest

    private final SimulatedNode node;
    private final SimulatedGateway gateway;
    private final World world;
    private final AgentOutboxWriter line = new AgentOutboxWriter(this);
    private final String name;
    private String session = "";
    private boolean agentOpen = true;
    private boolean gatewayOpen = true;
    private boolean welcomed;

    SimulatedAgentStream(SimulatedNode node, SimulatedGateway gateway, World world) {
        this.node = node;
        this.gateway = gateway;
        this.world = world;
        this.name = node.id + "/" + world.nextStream();
    }

    boolean isWelcomed() {
        return welcomed && agentOpen;
    }

    SimulatedNode node() {
        return node;
    }

    private boolean connects() {
        return world.network.connects(node.id.value(), gateway.id);
    }

    /** The agent's first message. */
    void hello(Hello hello) {
        if (!connects() || !gateway.isUp()) {
            gatewayOpen = false;
            world.time.after(Duration.ofSeconds(1), this::agentDisconnected);
            return;
        }
        world.network.stream(name + ">", () -> arrive(hello));
    }

    private void arrive(Hello hello) {
        if (!gatewayOpen || !gateway.isUp()) {
            world.time.after(Duration.ofSeconds(1), this::agentDisconnected);
            return;
        }
        try {
            session = gateway.admit(this, AgentProtos.agentHello(world.identity(node.id), hello));
        } catch (Refused e) {
            gatewayOpen = false;
            world.network.stream(name + "<", this::agentDisconnected);
        }
    }

    AgentOutboxWriter line() {
        return line;
    }

    /** What the agent says next. */
    void sendFromAgent(ConnectRequest message) {
        if (!connects()) {
            breakOff();
            return;
        }
        world.network.single(() -> received(message));
    }

    private void received(ConnectRequest message) {
        if (!gatewayOpen || session.isEmpty() || !gateway.isUp()) {
            return;
        }
        switch (message.getMessageCase()) {
            case STATUS ->
                    gateway.table()
                            .report(node.id, session, AgentProtos.report(message.getStatus()));
            case HEARTBEAT ->
                    gateway.table()
                            .heartbeat(
                                    node.id,
                                    session,
                                    HeartbeatProtos.receivedHeartbeat(message.getHeartbeat()));
            case PREFLIGHT, LOG, HELLO, MESSAGE_NOT_SET -> {} // neither is requested in it
        }
        gateway.sendToLeaders();
    }

    @Override
    public boolean ready() {
        return gatewayOpen;
    }

    @Override
    public void send(AgentMessage outgoing) {
        Welcome welcome =
                Welcome.newBuilder()
                        .setNodeId(node.id.value())
                        .setIdleHeartbeat(Durations.fromSeconds(IDLE_SECONDS))
                        .setActiveHeartbeat(Durations.fromSeconds(ACTIVE_SECONDS))
                        .build();
        ConnectResponse message = AgentProtos.render(outgoing, welcome);
        if (outgoing instanceof AgentMessage.Welcome) {
            world.network.stream(name + "<", () -> deliver(message));
        } else if (connects()) {
            world.network.single(() -> deliver(message));
        }
    }

    private void deliver(ConnectResponse message) {
        if (agentOpen) {
            welcomed = welcomed || message.hasWelcome();
            node.received(message);
        }
    }

    @Override
    public void end(Refused reason) {
        gatewayOpen = false;
        world.network.stream(name + "<", this::agentDisconnected);
    }

    /** The gateway is gone, or the way to it. */
    void gatewayStopped() {
        gatewayOpen = false;
        world.time.after(world.random.between(Duration.ZERO, DETECTION), this::agentDisconnected);
    }

    private void agentDisconnected() {
        if (agentOpen) {
            agentOpen = false;
            node.disconnected(this);
        }
    }

    /** The agent's side is gone; the gateway notices later. */
    void breakOff() {
        agentDisconnected();
        world.time.after(world.random.between(Duration.ZERO, DETECTION), this::gatewayDisconnected);
    }

    private void gatewayDisconnected() {
        if (gatewayOpen) {
            gatewayOpen = false;
            gateway.left(this, session);
        }
    }
}
