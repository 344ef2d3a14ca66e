package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import drover.agent.v1.ApplicationHealth;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.SyncStatus;
import drover.model.RefusalCode;
import drover.node.v1.AttachRequest;
import drover.node.v1.Delivery;
import drover.node.v1.HeartbeatFeedServiceGrpc;
import drover.node.v1.NodeHealth;
import drover.node.v1.SubscribeRequest;
import drover.node.v1.SubscribeResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** This gateway, with neighbours of the version before and of the one after. */
@DisplayName("C15: a gateway between two versions")
final class VersionSkewTest {
    /** What a later version says more. */
    private static final UnknownFieldSet MORE =
            UnknownFieldSet.newBuilder()
                    .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                    .build();

    private static final int LATER_VALUE = 99; // of whatever enum

    @AutoClose private final GatewayFixture fixture = GatewayFixture.inProcess("skew");

    private TestAgent connect(Hello.Builder hello) {
        fixture.register("n1");
        TestAgent agent = TestAgent.connect(fixture.agents, token("n1")).send(hello);
        var _ = agent.session();
        return agent;
    }

    private TestLeader leader() {
        return TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));
    }

    @Nested
    @DisplayName("with an agent of the version after")
    class LaterAgent {
        @Test
        void itsHelloAndItsStatusReachTheLeaderWhole() {
            AttemptStatus later =
                    status(4, 7, ATTEMPT_OUTCOME_IN_PROGRESS).toBuilder()
                            .setOutcomeValue(LATER_VALUE)
                            .setUnknownFields(MORE)
                            .build();
            TestAgent agent =
                    connect(hello(1, 1).addFeatures("flight/9").setUnknownFields(MORE)).send(later);
            TestLeader leader = leader();
            leader.awaitStatus("n1", 4, 7);

            assertThat(leader.statuses().getLast().getStatus()).isEqualTo(later);
            Hello relayed = leader.present().getLast().getHello();
            assertThat(relayed.getFeaturesList()).contains("flight/9");
            assertThat(relayed.getUnknownFields()).isEqualTo(MORE);
            assertThat(agent.received.ended()).isFalse();
        }

        @Test
        @DisplayName("a kind of message that is not known is left out, and the session goes on")
        void anUnknownMessageEndsNothing() {
            TestAgent agent =
                    connect(hello(1, 1))
                            .send(ConnectRequest.newBuilder().setUnknownFields(MORE).build())
                            .send(status(4, 8, ATTEMPT_OUTCOME_IN_PROGRESS));
            leader().awaitStatus("n1", 4, 8);
            assertThat(agent.received.ended()).isFalse();
        }

        @ParameterizedTest(name = "application {0}, synchronisation {1}")
        @CsvSource({"99, 1", "1, 99", "99, 0", "0, 99", "99, 99"})
        @DisplayName("F3: health that is not known is never well, whatever else is said")
        void unknownHealthIsNotHealthy(int application, int sync) {
            connect(hello(1, 1))
                    .send(
                            Heartbeat.newBuilder()
                                    .addPrograms(
                                            ProgramHealth.newBuilder()
                                                    .setName("chain")
                                                    .setRunId("run-1")
                                                    .setHealthyFor(
                                                            com.google.protobuf.Duration
                                                                    .newBuilder()
                                                                    .setSeconds(60))
                                                    .setApplicationHealthValue(application)
                                                    .setSyncStatusValue(sync))
                                    .build());
            await().atMost(Waits.LIMIT)
                    .until(
                            () ->
                                    fixture.node("n1")
                                            .getHealthDetail()
                                            .contains("upgrade the gateway"));
            assertThat(fixture.node("n1").getHealth()).isEqualTo(NodeHealth.NODE_HEALTH_UNKNOWN);
        }

        @ParameterizedTest(name = "a probe: {0}")
        @ValueSource(booleans = {false, true})
        @DisplayName("a protocol that is not known is refused, also to a probe")
        void refusesAnotherProtocol(boolean probe) {
            fixture.register("n1");
            TestAgent agent =
                    TestAgent.connect(fixture.agents, token("n1"))
                            .send(hello(1, 1).setProtocol(2).setProbe(probe));
            assertThat(agent.received.refusal()).isEqualTo(RefusalCode.PROTOCOL_UNSUPPORTED);
        }
    }

    @Nested
    @DisplayName("with an agent of the version before")
    class EarlierAgent {
        /** Without features, platform, floor, epoch, node and sequence: what came since. */
        @Test
        void isServedByItsDeclaration() {
            TestAgent agent =
                    connect(
                            Hello.newBuilder()
                                    .setProtocol(1)
                                    .setIncarnation(1)
                                    .setConnectionNumber(1)
                                    .setExecutor(true));
            agent.send(status(4, 7, ATTEMPT_OUTCOME_IN_PROGRESS))
                    .send(TestAgent.heartbeat(4, "run-2", "sha256:2", "v2"));
            TestLeader leader = leader();
            leader.awaitStatus("n1", 4, 7);
            leader.acknowledges("n1", 4, 7);

            agent.received.awaitMessage(ConnectResponse::hasAck);
            assertThat(leader.present().getLast().getHello().getFeaturesList()).isEmpty();
            assertThat(fixture.node("n1").getAgentVersion()).isEqualTo("unknown");
        }
    }

    @Nested
    @DisplayName("with a leader of the version after")
    class LaterLeader {
        @Test
        @DisplayName("a command is relayed as it is, whatever its type and whatever is in it")
        void relaysWhatItDoesNotKnow() {
            TestAgent agent = connect(hello(1, 1));
            Command later =
                    Command.newBuilder()
                            .setTypeValue(LATER_VALUE)
                            .setEpoch(1)
                            .setBody(ByteString.copyFromUtf8("not to be read here"))
                            .setUnknownFields(MORE)
                            .build();
            leader().sends("n1", agent.session(), later);
            assertThat(agent.received.awaitMessage(ConnectResponse::hasCommand).getCommand())
                    .isEqualTo(later);
        }

        @Test
        void goesOnAfterWhatItDoesNotKnow() {
            TestAgent agent = connect(hello(1, 1));
            TestLeader leader = leader();
            leader.send(AttachRequest.newBuilder().setUnknownFields(MORE).build());
            leader.deliver(
                    Delivery.newBuilder()
                            .setNodeId("n1")
                            .setSessionId(agent.session())
                            .setUnknownFields(MORE)
                            .build());
            leader.sends("n1", agent.session(), leader.command("after it"));
            agent.received.awaitMessage(
                    response -> response.getCommand().getBody().toStringUtf8().equals("after it"));
            assertThat(leader.received.ended()).isFalse();
        }
    }

    @Nested
    @DisplayName("with a leader of the version before")
    class EarlierLeader {
        /** Without signatures and trace: whether the agent takes it is the agent's to say. */
        @Test
        void relaysAnUnsignedCommand() {
            TestAgent agent = connect(hello(1, 1));
            Command earlier =
                    Command.newBuilder()
                            .setType(CommandType.COMMAND_TYPE_UPGRADE)
                            .setEpoch(1)
                            .build();
            leader().sends("n1", agent.session(), earlier);
            assertThat(agent.received.awaitMessage(ConnectResponse::hasCommand).getCommand())
                    .isEqualTo(earlier);
        }
    }

    @Nested
    @DisplayName("with an evaluator of the version after")
    class LaterEvaluator {
        @Test
        @DisplayName("heartbeats are passed on whole, and what it asks for more is left out")
        void relaysHeartbeatsWhole() {
            Heartbeat later =
                    Heartbeat.newBuilder()
                            .addPrograms(
                                    ProgramHealth.newBuilder()
                                            .setName("chain")
                                            .setApplicationHealth(
                                                    ApplicationHealth.APPLICATION_HEALTH_OK)
                                            .setSyncStatus(SyncStatus.SYNC_STATUS_SYNCED)
                                            .setUnknownFields(MORE))
                            .setUnknownFields(MORE)
                            .build();
            connect(hello(1, 1)).send(later);
            StreamRecorder<SubscribeRequest, SubscribeResponse> received = StreamRecorder.reading();
            StreamObserver<SubscribeRequest> requests =
                    HeartbeatFeedServiceGrpc.newStub(fixture.internal).subscribe(received);
            requests.onNext(
                    SubscribeRequest.newBuilder().addAdd("n1").setUnknownFields(MORE).build());
            assertThat(
                            received.awaitMessage(response -> response.getHeartbeatsCount() == 1)
                                    .getHeartbeats(0)
                                    .getHeartbeat())
                    .isEqualTo(later);
        }
    }
}
