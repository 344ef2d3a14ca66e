package drover.gateway.api;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Hello;
import drover.agent.v1.PreflightReport;
import drover.gateway.engine.leader.MessageToLeader;
import drover.gateway.session.AgentFinding;
import drover.gateway.session.ConnectedExecutor;
import drover.gateway.session.LatestStatus;
import drover.gateway.session.NodeHealth;
import drover.gateway.session.StandbyAgent;
import drover.model.NodeId;
import drover.node.v1.AttachResponse;
import drover.node.v1.BlockedNodes;
import drover.node.v1.Conditions;
import drover.node.v1.Connected;
import drover.node.v1.Disconnected;
import drover.node.v1.Findings;
import drover.node.v1.IdentityMismatches;
import drover.node.v1.NodeConditions;
import drover.node.v1.NodeFindings;
import drover.node.v1.NodePreflightReport;
import drover.node.v1.NodeStatus;
import drover.node.v1.Opened;
import drover.node.v1.Preflights;
import drover.node.v1.Session;
import drover.node.v1.SnapshotEnd;
import drover.node.v1.StandbyAgents;
import drover.node.v1.Statuses;
import java.util.List;
import java.util.Map;

/** Renders what the leader is told. */
public final class LeaderProtos {
    private LeaderProtos() {}

    /** A message to the leader. */
    public static AttachResponse toAttachResponse(MessageToLeader message, String gatewayId) {
        AttachResponse.Builder response = AttachResponse.newBuilder();
        switch (message) {
            case MessageToLeader.AttachedWithHighestEpoch(long highestEpoch) ->
                    response.setOpened(
                            Opened.newBuilder()
                                    .setGatewayId(gatewayId)
                                    .setHighestEpoch(highestEpoch));
            case MessageToLeader.ConnectedNodesUpdate(var sessions) -> {
                Connected.Builder present = response.getConnectedBuilder();
                sessions.forEach((node, held) -> present.addSessions(toSession(node, held)));
            }
            case MessageToLeader.NotConnectedNodes(var nodes) -> {
                Disconnected.Builder removed = response.getDisconnectedBuilder();
                nodes.forEach(node -> removed.addNodeIds(node.value()));
            }
            case MessageToLeader.Statuses(var slots) -> {
                Statuses.Builder statuses = response.getStatusesBuilder();
                slots.forEach((node, slot) -> statuses.addStatuses(toNodeStatus(node, slot)));
            }
            case MessageToLeader.Findings(var findings) -> {
                Findings.Builder changes = response.getFindingsBuilder();
                findings.forEach((node, list) -> changes.addNodes(toNodeFindings(node, list)));
            }
            case MessageToLeader.ProgramHealthByNode(var nodes) -> {
                Conditions.Builder conditions = response.getConditionsBuilder();
                nodes.forEach(
                        (node, programs) -> conditions.addNodes(toNodeConditions(node, programs)));
            }
            case MessageToLeader.Standbys(var agents) -> {
                StandbyAgents.Builder standbys = response.getStandbyAgentsBuilder();
                agents.forEach((node, agent) -> standbys.addAgents(toStandbyAgent(node, agent)));
            }
            case MessageToLeader.PreflightReports(var reports) -> {
                Preflights.Builder preflights = response.getPreflightsBuilder();
                reports.forEach(
                        (node, report) ->
                                preflights.addReports(
                                        NodePreflightReport.newBuilder()
                                                .setNodeId(node.value())
                                                .setReport(
                                                        ProtobufMessage.unwrap(
                                                                report, PreflightReport.class))));
            }
            case MessageToLeader.NodesWithDuplicateIdentity(var nodes) -> {
                BlockedNodes.Builder locked = response.getBlockedNodesBuilder();
                nodes.stream().sorted().forEach(node -> locked.addNodeIds(node.value()));
            }
            case MessageToLeader.IdentityMismatches(var nodes) -> {
                IdentityMismatches.Builder misplaced = response.getIdentityMismatchesBuilder();
                nodes.stream().sorted().forEach(node -> misplaced.addNodeIds(node.value()));
            }
            case MessageToLeader.SnapshotEnd(long revision) ->
                    response.setSnapshotEnd(SnapshotEnd.newBuilder().setRevision(revision));
        }
        return response.build();
    }

    private static NodeFindings toNodeFindings(NodeId node, List<AgentFinding> findings) {
        NodeFindings.Builder proto = NodeFindings.newBuilder().setNodeId(node.value());
        findings.forEach(
                one ->
                        proto.addFindings(
                                drover.agent.v1.AgentFinding.newBuilder()
                                        .setCode(one.code())
                                        .setProgram(one.program())
                                        .setDetail(one.detail())));
        return proto.build();
    }

    private static NodeConditions toNodeConditions(NodeId node, Map<String, NodeHealth> programs) {
        NodeConditions.Builder proto = NodeConditions.newBuilder().setNodeId(node.value());
        programs.forEach(
                (program, health) ->
                        proto.addPrograms(NodeDirectoryProtos.toProgramCondition(program, health)));
        return proto.build();
    }

    private static drover.node.v1.StandbyAgent toStandbyAgent(NodeId node, StandbyAgent agent) {
        return drover.node.v1.StandbyAgent.newBuilder()
                .setNodeId(node.value())
                .setSessionId(agent.sessionId())
                .setAgentVersion(agent.agentVersion())
                .setAgentDigest(agent.digest())
                .setIncarnation(agent.incarnation())
                .setRunning(agent.running())
                .build();
    }

    private static Session toSession(NodeId node, ConnectedExecutor presence) {
        Hello.Builder hello = ProtobufMessage.unwrap(presence.hello(), Hello.class).toBuilder();
        presence.inventory().programs().forEach(p -> hello.addPrograms(AgentProtos.toReport(p)));
        hello.setHighestAttempt(presence.inventory().attemptFloor());
        return Session.newBuilder()
                .setNodeId(node.value())
                .setSessionId(presence.sessionId())
                .setHello(hello)
                .build();
    }

    private static NodeStatus toNodeStatus(NodeId node, LatestStatus slot) {
        return NodeStatus.newBuilder()
                .setNodeId(node.value())
                .setSessionId(slot.sessionId())
                .setStatus(ProtobufMessage.unwrap(slot.body(), AttemptStatus.class))
                .build();
    }
}
