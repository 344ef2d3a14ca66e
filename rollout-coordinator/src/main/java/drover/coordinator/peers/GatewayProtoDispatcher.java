package drover.coordinator.peers;

import com.google.protobuf.ByteString;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.Content;
import drover.agent.v1.StopAgent;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedProgramHealth;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import drover.node.v1.AttachResponse;
import drover.node.v1.NodeConditions;
import drover.node.v1.NodeFindings;
import drover.node.v1.NodeHealth;
import drover.node.v1.NodePreflightReport;
import drover.node.v1.NodeStatus;
import drover.node.v1.ProgramCondition;
import drover.node.v1.Session;
import drover.node.v1.Stop;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a gateway says to the leader, put into the leader's own words. */
public final class GatewayProtoDispatcher {
    private GatewayProtoDispatcher() {}

    /**
     * Tells one message of a gateway. Every entry is checked again, for the gateway may be older or
     * compromised: an invalid one is left out and reported, and the others count.
     */
    public static void dispatch(AttachResponse message, GatewayLink.Listener events) {
        LenientNodeEntryReader entries = new LenientNodeEntryReader();
        switch (message.getMessageCase()) {
            case OPENED -> events.onOpened();
            case CONNECTED ->
                    notifyConnected(message.getConnected().getSessionsList(), entries, events);
            case DISCONNECTED ->
                    events.onDisconnected(
                            entries.readNodes(message.getDisconnected().getNodeIdsList()));
            case STATUSES ->
                    events.onStatuses(
                            entries.readValid(
                                    message.getStatuses().getStatusesList(),
                                    NodeStatus::getNodeId,
                                    GatewayProtoDispatcher::toReportedStatus));
            case FINDINGS ->
                    events.onFindings(
                            entries.readByNode(
                                    message.getFindings().getNodesList(),
                                    NodeFindings::getNodeId,
                                    GatewayProtoDispatcher::toFindings));
            case STANDBY_AGENTS ->
                    events.onStandbys(
                            entries.readByNode(
                                    message.getStandbyAgents().getAgentsList(),
                                    drover.node.v1.StandbyAgent::getNodeId,
                                    GatewayProtoDispatcher::standbyIfPresent));
            case CONDITIONS ->
                    events.onProgramHealth(
                            entries.readByNode(
                                    message.getConditions().getNodesList(),
                                    NodeConditions::getNodeId,
                                    GatewayProtoDispatcher::toReportedHealth));
            case PREFLIGHTS ->
                    events.onPreflightReports(
                            entries.readByNode(
                                    message.getPreflights().getReportsList(),
                                    NodePreflightReport::getNodeId,
                                    node ->
                                            AgentReportConverter.toPreflightReport(
                                                    node.getReport())));
            case BLOCKED_NODES ->
                    events.onLockedNodes(
                            Set.copyOf(
                                    entries.readNodes(message.getBlockedNodes().getNodeIdsList())));
            case IDENTITY_MISMATCHES ->
                    events.onMisplacedIdentities(
                            Set.copyOf(
                                    entries.readNodes(
                                            message.getIdentityMismatches().getNodeIdsList())));
            case SNAPSHOT_END -> events.onSnapshotEnd(message.getSnapshotEnd().getRevision());
            case MESSAGE_NOT_SET -> {} // a newer gateway says something this leader does not know
        }
        if (!entries.rejectedEntries().isEmpty()) {
            events.onRejectedMessages(entries.rejectedEntries());
        }
    }

    /** A node whose session is invalid counts as not connected: nothing can be sent to it. */
    private static void notifyConnected(
            List<Session> sessions, LenientNodeEntryReader entries, GatewayLink.Listener events) {
        events.onConnected(
                entries.readValid(
                        sessions, Session::getNodeId, GatewayProtoDispatcher::toConnectedNode));
        if (!entries.rejectedEntries().isEmpty()) {
            events.onDisconnected(List.copyOf(entries.rejectedEntries().keySet()));
        }
    }

    private static ConnectedNode toConnectedNode(Session session) {
        return new ConnectedNode(
                new NodeId(session.getNodeId()),
                session.getHello().getIncarnation(),
                session.getHello().getConnectionNumber(),
                AgentReportConverter.toPresentView(session.getSessionId(), session.getHello()));
    }

    private static ReportedStatus toReportedStatus(NodeStatus status) {
        AttemptStatus attempt = status.getStatus();
        return new ReportedStatus(
                new NodeId(status.getNodeId()),
                parseRolloutIdOrNull(attempt.getRolloutId()),
                AgentReportConverter.toAttemptStatus(attempt),
                attempt.toByteArray());
    }

    private static List<AgentFinding> toFindings(NodeFindings node) {
        return node.getFindingsList().stream()
                .map(one -> new AgentFinding(one.getCode(), one.getProgram(), one.getDetail()))
                .toList();
    }

    private static Optional<StandbyAgent> standbyIfPresent(drover.node.v1.StandbyAgent standby) {
        return standby.getSessionId().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new StandbyAgent(
                                standby.getAgentVersion(),
                                standby.getAgentDigest(),
                                standby.getIncarnation(),
                                standby.getRunning()));
    }

    private static List<ReportedProgramHealth> toReportedHealth(NodeConditions node) {
        return node.getProgramsList().stream()
                .flatMap(GatewayProtoDispatcher::toReportedHealthIfValid)
                .toList();
    }

    private static Stream<ReportedProgramHealth> toReportedHealthIfValid(
            ProgramCondition condition) {
        try {
            return Stream.of(
                    new ReportedProgramHealth(
                            new BinaryName(condition.getProgram()),
                            toLevel(condition.getHealth()),
                            condition.getDetail()));
        } catch (MalformedValue e) {
            return Stream.of(); // no rollout can name such a program
        }
    }

    static Level toLevel(NodeHealth health) {
        return switch (health) {
            case NODE_HEALTH_OK -> Level.HEALTHY;
            case NODE_HEALTH_DEGRADED -> Level.DEGRADED;
            case NODE_HEALTH_CRITICAL -> Level.CRITICAL;
            case NODE_HEALTH_DOWN -> Level.DOWN;
            case NODE_HEALTH_CRASH_LOOP -> Level.CRASH_LOOP;
            case NODE_HEALTH_UNKNOWN, NODE_HEALTH_OFFLINE, NODE_HEALTH_UNSPECIFIED, UNRECOGNIZED ->
                    Level.UNKNOWN;
        };
    }

    private static @Nullable RolloutId parseRolloutIdOrNull(String id) {
        return id.isEmpty() ? null : new RolloutId(id);
    }

    /** What the leader sends to a node's session, unsigned. */
    public static drover.node.v1.Delivery toDelivery(MessageToNode delivery) {
        return toDelivery(delivery, ByteString.EMPTY);
    }

    /**
     * What the leader sends to a node's session, as gateways read it.
     *
     * @param signed by the leader over this delivery, for the agent; empty when nothing is
     */
    static drover.node.v1.Delivery toDelivery(MessageToNode delivery, ByteString signed) {
        drover.node.v1.Delivery.Builder builder =
                drover.node.v1.Delivery.newBuilder().setNodeId(delivery.node().value());
        return switch (delivery) {
            case MessageToNode.Command command ->
                    builder.setSessionId(command.session())
                            .setCommand(toCommand(command, signed))
                            .build();
            case MessageToNode.StopOldAgent stop ->
                    builder.setSessionId(stop.session())
                            .setStop(
                                    Stop.newBuilder()
                                            .setEpoch(stop.epoch())
                                            .setStopAgent(toStopAgent(stop, signed)))
                            .build();
            case MessageToNode.Withdraw withdraw ->
                    builder.setSessionId(withdraw.session())
                            .setWithdraw(
                                    drover.agent.v1.Withdraw.newBuilder()
                                            .setThroughAttempt(withdraw.through())
                                            .setEpoch(withdraw.epoch())
                                            .setAuthorization(signed))
                            .build();
        };
    }

    private static StopAgent toStopAgent(MessageToNode.StopOldAgent stop, ByteString signed) {
        return StopAgent.newBuilder()
                .setReason("The agent that takes over was seen.")
                .setAttempt(stop.attempt())
                .setSuccessorVersion(stop.successorVersion())
                .setSuccessorDigest(stop.successorDigest().value())
                .setAuthorization(signed)
                .build();
    }

    private static Command toCommand(MessageToNode.Command command, ByteString signed) {
        Command.Builder builder =
                Command.newBuilder()
                        .setType(CommandBodySerializer.typeOf(command.body()))
                        .setEpoch(command.epoch())
                        .setTraceparent(command.traceparent())
                        .setBody(ByteString.copyFrom(command.body()))
                        .setAuthorization(signed);
        command.contents()
                .forEach(
                        (digest, data) ->
                                builder.addContents(
                                        Content.newBuilder()
                                                .setDigest(digest)
                                                .setData(ByteString.copyFrom(data))));
        return builder.build();
    }
}
