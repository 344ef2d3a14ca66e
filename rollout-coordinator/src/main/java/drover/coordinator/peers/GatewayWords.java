package drover.coordinator.peers;

import com.google.protobuf.ByteString;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.Content;
import drover.agent.v1.StopAgent;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.plan.AgentFinding;
import drover.coordinator.plan.PreflightReport;
import drover.coordinator.plan.StandbyAgent;
import drover.model.MalformedName;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.node.v1.AttachResponse;
import drover.node.v1.NodeFindings;
import drover.node.v1.NodePreflightReport;
import drover.node.v1.NodeStatus;
import drover.node.v1.Session;
import drover.node.v1.Standby;
import drover.node.v1.Stop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a gateway says to the leader, put into the leader's own words. */
public final class GatewayWords {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayWords.class);

    private GatewayWords() {}

    /** Tells one message of a gateway. */
    public static void tell(AttachResponse message, GatewayLink.Events events) {
        switch (message.getMessageCase()) {
            case OPENED -> events.opened();
            case PRESENT ->
                    events.present(
                            message.getPresent().getSessionsList().stream()
                                    .map(GatewayWords::present)
                                    .toList());
            case GONE ->
                    events.gone(
                            message.getGone().getNodeIdsList().stream().map(NodeId::new).toList());
            case STATUSES -> events.reports(reports(message.getStatuses().getStatusesList()));
            case NOTICED -> events.noticed(findings(message.getNoticed().getNodesList()));
            case STANDBYS -> events.standbys(standbys(message.getStandbys().getStandbysList()));
            case PREFLIGHTS ->
                    events.preflights(preflights(message.getPreflights().getReportsList()));
            case LOCKED ->
                    events.locked(
                            message.getLocked().getNodeIdsList().stream()
                                    .map(NodeId::new)
                                    .collect(Collectors.toSet()));
            case MISPLACED ->
                    events.misplaced(
                            message.getMisplaced().getNodeIdsList().stream()
                                    .map(NodeId::new)
                                    .collect(Collectors.toSet()));
            case SNAPSHOT_END -> events.snapshotEnd(message.getSnapshotEnd().getRevision());
            case MESSAGE_NOT_SET -> {} // a newer gateway says something this leader does not know
        }
    }

    private static PresentNode present(Session session) {
        return new PresentNode(
                new NodeId(session.getNodeId()),
                session.getHello().getIncarnation(),
                session.getHello().getDial(),
                AgentProtos.present(session.getSessionId(), session.getHello()));
    }

    private static List<ReportedNode> reports(List<NodeStatus> statuses) {
        List<ReportedNode> reports = new ArrayList<>();
        for (NodeStatus status : statuses) {
            AttemptStatus attempt = status.getStatus();
            try {
                reports.add(
                        new ReportedNode(
                                new NodeId(status.getNodeId()),
                                rollout(attempt.getRolloutId()),
                                AgentProtos.report(attempt),
                                attempt.toByteArray()));
            } catch (MalformedName e) {
                LOG.warn("A status names no rollout of ours reason={}", e.getMessage());
            }
        }
        return reports;
    }

    private static Map<NodeId, List<AgentFinding>> findings(List<NodeFindings> nodes) {
        Map<NodeId, List<AgentFinding>> findings = new HashMap<>();
        for (NodeFindings node : nodes) {
            findings.put(
                    new NodeId(node.getNodeId()),
                    node.getFindingsList().stream()
                            .map(
                                    one ->
                                            new AgentFinding(
                                                    one.getCode(),
                                                    one.getProgram(),
                                                    one.getDetail()))
                            .toList());
        }
        return findings;
    }

    private static Map<NodeId, Optional<StandbyAgent>> standbys(List<Standby> standbys) {
        Map<NodeId, Optional<StandbyAgent>> told = new HashMap<>();
        for (Standby standby : standbys) {
            told.put(
                    new NodeId(standby.getNodeId()),
                    standby.getSessionId().isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    new StandbyAgent(
                                            standby.getAgentVersion(),
                                            standby.getAgentDigest(),
                                            standby.getIncarnation(),
                                            standby.getRunning())));
        }
        return told;
    }

    private static Map<NodeId, PreflightReport> preflights(List<NodePreflightReport> nodes) {
        Map<NodeId, PreflightReport> reports = new HashMap<>();
        nodes.forEach(
                node ->
                        reports.put(
                                new NodeId(node.getNodeId()),
                                AgentProtos.preflight(node.getReport())));
        return reports;
    }

    private static @Nullable RolloutId rollout(String id) {
        return id.isEmpty() ? null : new RolloutId(id);
    }

    /** What the leader sends to a node's session, unsigned. */
    public static drover.node.v1.Delivery delivery(Delivery delivery) {
        return delivery(delivery, ByteString.EMPTY);
    }

    /**
     * What the leader sends to a node's session, as gateways read it.
     *
     * @param signed by the leader over this delivery, for the agent; empty when nothing is
     */
    static drover.node.v1.Delivery delivery(Delivery delivery, ByteString signed) {
        drover.node.v1.Delivery.Builder builder =
                drover.node.v1.Delivery.newBuilder().setNodeId(delivery.node().value());
        return switch (delivery) {
            case Delivery.Command command ->
                    builder.setSessionId(command.session())
                            .setCommand(command(command, signed))
                            .build();
            case Delivery.Stop stop ->
                    builder.setSessionId(stop.session())
                            .setStop(
                                    Stop.newBuilder()
                                            .setEpoch(stop.epoch())
                                            .setOrder(order(stop, signed)))
                            .build();
            case Delivery.Withdraw withdraw ->
                    builder.setSessionId(withdraw.session())
                            .setWithdraw(
                                    drover.agent.v1.Withdraw.newBuilder()
                                            .setThrough(withdraw.through())
                                            .setEpoch(withdraw.epoch())
                                            .setAuthorization(signed))
                            .build();
        };
    }

    private static StopAgent order(Delivery.Stop stop, ByteString signed) {
        return StopAgent.newBuilder()
                .setReason("The agent that takes over was seen.")
                .setAttempt(stop.attempt())
                .setSuccessorVersion(stop.successorVersion())
                .setSuccessorDigest(stop.successorDigest().value())
                .setAuthorization(signed)
                .build();
    }

    private static Command command(Delivery.Command command, ByteString signed) {
        Command.Builder builder =
                Command.newBuilder()
                        .setType(CommandBodies.typeOf(command.body()))
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
