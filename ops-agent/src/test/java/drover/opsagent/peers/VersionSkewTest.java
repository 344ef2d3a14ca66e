package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import drover.agent.v1.Ack;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ClearWork;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Welcome;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.main.EmptyNode;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.ScriptedGateway;
import drover.opsagent.main.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** This agent, behind a control plane of the version before and of the one after. */
@DisplayName("C15: an agent whose control plane has another version")
final class VersionSkewTest {
    private static final Duration SOON = Waits.LIMIT;
    private static final String ROLLOUT = "6f1c3d0e-0000-4000-8000-000000000001";
    private static final int LATER_TYPE = 14;

    /** What a later version says more. */
    private static final UnknownFieldSet MORE =
            UnknownFieldSet.newBuilder()
                    .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                    .build();

    private final String address = "gateway-" + UUID.randomUUID();
    private ScriptedGateway gateway;
    private @Nullable OpsAgent agent;

    @BeforeEach
    void open() throws IOException {
        gateway = new ScriptedGateway(address);
    }

    @AfterEach
    void close() {
        if (agent != null) {
            agent.close();
        }
        gateway.close();
    }

    private void start() {
        SimulatedDisk disk = EmptyNode.disk();
        agent =
                OpsAgent.start(
                        EmptyNode.config(address, Duration.ofMillis(100)),
                        OpsAgent.Dependencies.simulated(
                                disk,
                                EmptyNode.processes(disk),
                                new SimulatedFetcher(Map.of()),
                                new Random(1)));
    }

    private void awaitWelcomed() {
        await().atMost(SOON).until(() -> !gateway.heartbeats.isEmpty());
    }

    private static CommandBody.Builder body(long attempt) {
        return CommandBody.newBuilder()
                .setNodeId("node-1")
                .setRolloutId(ROLLOUT)
                .setAttempt(attempt);
    }

    private static Command.Builder command(int type, CommandBody.Builder body) {
        return Command.newBuilder()
                .setTypeValue(type)
                .setEpoch(1)
                .setBody(body.build().toByteString());
    }

    private static CommandBody.Builder clear(long attempt) {
        return body(attempt).setClear(ClearWork.newBuilder().setReason("It was repaired."));
    }

    private AttemptStatus refused(long attempt, String reason) {
        AttemptStatus end = gateway.end(attempt, SOON);
        assertThat(end.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(end.getReason()).isEqualTo(reason);
        assertThat(end.getMutationStarted()).as("nothing was touched").isFalse();
        return end;
    }

    @ParameterizedTest
    @ValueSource(ints = {LATER_TYPE, 0, 8})
    @DisplayName("a command type that is not known is answered with its reason, and nothing begins")
    void refusesAnUnknownType(int type) {
        start();
        awaitWelcomed();
        gateway.send(command(type, clear(1)).build());
        refused(1, "UNKNOWN_WORK");
    }

    @Test
    @DisplayName("work that is not known is answered with its reason")
    void refusesUnknownWork() {
        start();
        awaitWelcomed();
        gateway.send(command(LATER_TYPE, body(1).setUnknownFields(MORE)).build());
        assertThat(refused(1, "UNKNOWN_WORK").getDetail()).contains("upgrade the agent");
    }

    @Test
    @DisplayName("a feature that is asked for and not known is answered by its name")
    void refusesAnUnknownFeature() {
        start();
        awaitWelcomed();
        gateway.send(
                command(
                                CommandType.COMMAND_TYPE_CLEAR_VALUE,
                                clear(1).addRequiredFeatures("flight/9"))
                        .build());
        assertThat(refused(1, "UNSUPPORTED_FEATURE").getDetail()).contains("flight/9");
    }

    @Test
    @DisplayName("a refused attempt holds nothing up: the next one that is known is done")
    void goesOnAfterWhatItRefused() {
        start();
        awaitWelcomed();
        gateway.sendMessage(ConnectResponse.newBuilder().setUnknownFields(MORE).build());
        gateway.send(command(LATER_TYPE, clear(1)).build());
        refused(1, "UNKNOWN_WORK");
        gateway.sendMessage(
                ConnectResponse.newBuilder()
                        .setAck(
                                Ack.newBuilder()
                                        .setAttempt(1)
                                        .setSequence(9)
                                        .setUnknownFields(MORE))
                        .build());
        gateway.send(
                command(CommandType.COMMAND_TYPE_CLEAR_VALUE, clear(2))
                        .setUnknownFields(MORE)
                        .build());
        assertThat(gateway.end(2, SOON).getOutcome())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(gateway.hellos).as("one session all the time").hasSize(1);
    }

    @Test
    @DisplayName(
            "a gateway that asks for a feature which is not known is left, and gets no work done")
    void disconnectsFromAGatewayThatRequiresMore() {
        gateway.greet(Welcome.newBuilder().setNodeId("node-1").addRequiredFeatures("flight/9"));
        gateway.sendAfterWelcome(command(CommandType.COMMAND_TYPE_CLEAR_VALUE, clear(1)).build());
        start();
        await().atMost(SOON).until(() -> !gateway.failures.isEmpty());
        assertThat(gateway.statuses).isEmpty();
        assertThat(gateway.heartbeats).isEmpty();
    }

    @Test
    void selfTestReportsTheFeaturesThatTheGatewayRequires() {
        gateway.greet(Welcome.newBuilder().setNodeId("node-1").addRequiredFeatures("flight/9"));
        assertThat(
                        CredentialConnectionTester.connectAndFindProblem(
                                new GatewayAddress("in-process:" + address),
                                new TokenCredential("secret"),
                                "2.0.0",
                                1,
                                SOON))
                .contains("The gateway asks for flight/9")
                .contains("upgrade the agent");
    }

    @Test
    @DisplayName(
            "a gateway of the version before, which says no paces and asks for nothing, is served")
    void servesAnEarlierGateway() {
        gateway.greet(Welcome.newBuilder().setNodeId("node-1"));
        start();
        awaitWelcomed();
        gateway.send(
                Command.newBuilder()
                        .setType(CommandType.COMMAND_TYPE_CLEAR)
                        .setEpoch(1)
                        .setBody(ByteString.copyFrom(clear(1).build().toByteArray()))
                        .build());
        assertThat(gateway.end(1, SOON).getOutcome())
                .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }
}
