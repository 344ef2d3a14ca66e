package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.agent.v1.Ack;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.ConfigFile;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.agent.v1.PreflightReport;
import drover.agent.v1.ProgramReport;
import drover.agent.v1.ReadLog;
import drover.agent.v1.Reconnect;
import drover.agent.v1.StopAgent;
import drover.agent.v1.Welcome;
import drover.agent.v1.Withdraw;
import drover.gateway.engine.session.AgentHello;
import drover.gateway.engine.session.ReceivedStatus;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.ProgramObservation;
import drover.gateway.session.ReportedProgram;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Reads what agents say and renders what they are told. */
public final class AgentProtos {
    private static final int PROTOCOL = 1;

    private AgentProtos() {}

    /** How an agent arrives. */
    public static AgentHello toAgentHello(NodeIdentity node, Hello hello) {
        return new AgentHello(
                node,
                hello.getIncarnation(),
                hello.getConnectionNumber(),
                hello.getExecutor(),
                toInventory(hello),
                new ProtobufMessage(hello.toBuilder().clearPrograms().clearStatus().build()),
                hello.hasStatus() ? Optional.of(toReport(hello.getStatus())) : Optional.empty());
    }

    /** The number grows only with what breaks: everything else is added, or a feature. */
    static void requireSupportedProtocol(int protocol) {
        if (protocol == 0) {
            throw new Refused(
                    RefusalCode.PROTOCOL_UNSUPPORTED,
                    "A Hello must say which protocol the agent speaks; this gateway knows 1.");
        }
        if (protocol != PROTOCOL) {
            throw new Refused(
                    RefusalCode.PROTOCOL_UNSUPPORTED,
                    "The agent speaks protocol %d, and this gateway knows 1; upgrade the gateways"
                                    .formatted(Integer.toUnsignedLong(protocol))
                            + " before agents.");
        }
    }

    private static NodeInventory toInventory(Hello hello) {
        String version = hello.getAgentVersion();
        return new NodeInventory(
                        version.isEmpty() ? ReportedProgram.UNKNOWN_VERSION : version,
                        hello.getRuntime(),
                        hello.getPlatform(),
                        hello.getFeaturesList().stream().toList(),
                        hello.getHighestAttempt(),
                        hello.getProgramsList().stream().map(AgentProtos::toProgram).toList())
                .withFloorAtLeast(hello.getStatus().getAttempt());
    }

    private static ReportedProgram toProgram(ProgramReport report) {
        TreeMap<String, String> files = new TreeMap<>();
        report.getConfigFilesList().forEach(file -> files.put(file.getPath(), file.getDigest()));
        return new ReportedProgram(
                report.getName(),
                report.getVersion(),
                report.getRunningDigest(),
                report.getConfigDigest(),
                files,
                report.getLaunchDigest(),
                report.getRunning(),
                report.getRunId(),
                report.getArtifactUrl());
    }

    static ProgramReport toReport(ReportedProgram program) {
        ProgramReport.Builder report =
                ProgramReport.newBuilder()
                        .setName(program.name())
                        .setVersion(program.version())
                        .setRunningDigest(program.runningDigest())
                        .setConfigDigest(program.configDigest())
                        .setLaunchDigest(program.launchDigest())
                        .setRunning(program.running())
                        .setRunId(program.runId())
                        .setArtifactUrl(program.artifactUrl());
        program.configFiles()
                .forEach(
                        (path, digest) ->
                                report.addConfigFiles(
                                        ConfigFile.newBuilder().setPath(path).setDigest(digest)));
        return report.build();
    }

    /** A status as the gateway keeps it. */
    public static ReceivedStatus toReport(AttemptStatus status) {
        return new ReceivedStatus(
                status.getAttempt(),
                status.getSequence(),
                new ProtobufMessage(status),
                toObservations(status),
                status.hasProgramState()
                        ? List.of(toProgram(status.getProgramState()))
                        : List.of());
    }

    /** What a preflight found, as the gateway keeps it until the leader is told. */
    static OpaqueMessage wrapPreflightReport(PreflightReport report) {
        return new ProtobufMessage(report);
    }

    /** Only a finished attempt that names a run says what runs; of the rest heartbeats tell. */
    private static List<ProgramObservation> toObservations(AttemptStatus status) {
        boolean verifies =
                switch (status.getOutcome()) {
                    case ATTEMPT_OUTCOME_SUCCEEDED,
                            ATTEMPT_OUTCOME_FAILED,
                            ATTEMPT_OUTCOME_RESTORED,
                            ATTEMPT_OUTCOME_FAILED_ROLLBACK ->
                            !status.getProgram().isEmpty()
                                    && !status.getRunId().isEmpty()
                                    && !status.getRunningDigest().isEmpty();
                    case ATTEMPT_OUTCOME_UNSPECIFIED,
                            ATTEMPT_OUTCOME_IN_PROGRESS,
                            ATTEMPT_OUTCOME_REFUSED,
                            ATTEMPT_OUTCOME_WITHDRAWN,
                            UNRECOGNIZED ->
                            false;
                };
        return verifies
                ? List.of(
                        new ProgramObservation(
                                status.getProgram(),
                                status.getRunId(),
                                status.getRunningDigest(),
                                status.getConfigDigest(),
                                ""))
                : List.of();
    }

    /** A message to an agent. */
    public static ConnectResponse toConnectResponse(MessageToAgent outgoing, Welcome welcome) {
        ConnectResponse.Builder response = ConnectResponse.newBuilder();
        switch (outgoing) {
            case MessageToAgent.Welcome(String sessionId) ->
                    response.setWelcome(welcome.toBuilder().setSessionId(sessionId));
            case MessageToAgent.Acknowledgement(
                            long attempt,
                            long sequence,
                            boolean successorSeen) ->
                    response.setAck(
                            Ack.newBuilder()
                                    .setAttempt(attempt)
                                    .setSequence(sequence)
                                    .setSuccessorSeen(successorSeen));
            case MessageToAgent.Withdrawal(var withdraw) ->
                    response.setWithdraw(ProtobufMessage.unwrap(withdraw, Withdraw.class));
            case MessageToAgent.ExitForSuccessor(var order) ->
                    response.setStopAgent(ProtobufMessage.unwrap(order, StopAgent.class));
            case MessageToAgent.Command(var command) ->
                    response.setCommand(ProtobufMessage.unwrap(command, Command.class));
            case MessageToAgent.PreflightCommand(var command) ->
                    response.setCommand(ProtobufMessage.unwrap(command, Command.class));
            case MessageToAgent.ReadLog(String requestId, String program) ->
                    response.setReadLog(
                            ReadLog.newBuilder().setRequestId(requestId).setProgram(program));
            case MessageToAgent.Reconnect(Duration within) ->
                    response.setReconnect(
                            Reconnect.newBuilder()
                                    .setReason(
                                            "This gateway is going away, or this connection is"
                                                    + " old.")
                                    .setWithin(Durations.fromMillis(within.toMillis())));
        }
        return response.build();
    }
}
