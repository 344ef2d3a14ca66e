package drover.simulation.world;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.agent.v1.Welcome;
import drover.gateway.api.AgentHeartbeatParser;
import drover.gateway.api.AgentProtos;
import drover.gateway.engine.session.AgentOutboxWriter;
import drover.gateway.engine.session.StreamToAgent;
import drover.gateway.session.MessageToAgent;
import drover.kit.grpc.Refused;
import java.time.Duration;

/** One stream between an agent and a gateway; each end learns of its end in its own time. */
final class SimulatedAgentStream implements StreamToAgent {
    private static final long IDLE_SECONDS = 30; // as gateways say by themselves
    private static final long ACTIVE_SECONDS = 5;
    private static final Duration DETECTION = Duration.ofSeconds(20); // keep-alive, at the latest

    private final SimulatedNode node;
    private final SimulatedGateway gateway;
    private final SimulatedWorld world;
    private final AgentOutboxWriter line = new AgentOutboxWriter(this);
    private final String name;
    private String session = "";
    private boolean agentOpen = true;
    private boolean gatewayOpen = true;
    private boolean welcomed;

    SimulatedAgentStream(SimulatedNode node, SimulatedGateway gateway, SimulatedWorld world) {
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

    private boolean isReachable() {
        return world.network.isConnected(node.id.value(), gateway.id);
    }

    /** The agent's first message. */
    void sendHello(Hello hello) {
        if (!isReachable() || !gateway.isUp()) {
            gatewayOpen = false;
            world.time.scheduleAfter(Duration.ofSeconds(1), this::disconnectAgentSide);
            return;
        }
        world.network.sendInOrder(name + ">", () -> openSession(hello));
    }

    private void openSession(Hello hello) {
        if (!gatewayOpen || !gateway.isUp()) {
            world.time.scheduleAfter(Duration.ofSeconds(1), this::disconnectAgentSide);
            return;
        }
        try {
            session = gateway.admit(this, AgentProtos.toAgentHello(world.identity(node.id), hello));
        } catch (Refused e) {
            gatewayOpen = false;
            world.network.sendInOrder(name + "<", this::disconnectAgentSide);
        }
    }

    AgentOutboxWriter outbox() {
        return line;
    }

    /** What the agent says next. */
    void sendFromAgent(ConnectRequest message) {
        if (!isReachable()) {
            breakFromAgentSide();
            return;
        }
        world.network.sendUnreliably(() -> receiveFromAgent(message));
    }

    private void receiveFromAgent(ConnectRequest message) {
        if (!gatewayOpen || session.isEmpty() || !gateway.isUp()) {
            return;
        }
        switch (message.getMessageCase()) {
            case STATUS ->
                    gateway.table()
                            .applyStatus(
                                    node.id, session, AgentProtos.toReport(message.getStatus()));
            case HEARTBEAT ->
                    gateway.table()
                            .applyHeartbeat(
                                    node.id,
                                    session,
                                    AgentHeartbeatParser.toReceivedHeartbeat(
                                            message.getHeartbeat()));
            case PREFLIGHT, LOG, HELLO, MESSAGE_NOT_SET -> {} // neither is requested in it
        }
        gateway.sendToLeaders();
    }

    @Override
    public boolean isReady() {
        return gatewayOpen;
    }

    @Override
    public void send(MessageToAgent outgoing) {
        Welcome welcome =
                Welcome.newBuilder()
                        .setNodeId(node.id.value())
                        .setIdleHeartbeat(Durations.fromSeconds(IDLE_SECONDS))
                        .setActiveHeartbeat(Durations.fromSeconds(ACTIVE_SECONDS))
                        .build();
        ConnectResponse message = AgentProtos.toConnectResponse(outgoing, welcome);
        if (outgoing instanceof MessageToAgent.Welcome) {
            world.network.sendInOrder(name + "<", () -> deliver(message));
        } else if (isReachable()) {
            world.network.sendUnreliably(() -> deliver(message));
        }
    }

    private void deliver(ConnectResponse message) {
        if (agentOpen) {
            welcomed = welcomed || message.hasWelcome();
            node.onMessage(message);
        }
    }

    @Override
    public void end(Refused reason) {
        gatewayOpen = false;
        world.network.sendInOrder(name + "<", this::disconnectAgentSide);
    }

    /** The gateway is gone, or the way to it. */
    void onGatewayStopped() {
        gatewayOpen = false;
        world.time.scheduleAfter(
                world.random.between(Duration.ZERO, DETECTION), this::disconnectAgentSide);
    }

    private void disconnectAgentSide() {
        if (agentOpen) {
            agentOpen = false;
            node.onStreamClosed(this);
        }
    }

    /** The agent's side is gone; the gateway notices later. */
    void breakFromAgentSide() {
        disconnectAgentSide();
        world.time.scheduleAfter(
                world.random.between(Duration.ZERO, DETECTION), this::disconnectGatewaySide);
    }

    private void disconnectGatewaySide() {
        if (gatewayOpen) {
            gatewayOpen = false;
            gateway.disconnectAgent(this, session);
        }
    }
}
