package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.Reconnect;
import drover.model.RefusalCode;
import drover.node.v1.Session;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a real port refuses, and how many it takes. */
class AgentEndpointLimitsIT {
    private static final int LARGEST_MESSAGE = 256 * 1024; // bytes

    @AutoClose private GatewayFixture fixture;

    @BeforeEach
    void openServers() {
        fixture = GatewayFixture.onLoopback();
    }

    @Test
    @DisplayName("H9: a message above 256 KiB ends its stream and no other")
    void anOversizedMessageEndsItsStream() {
        TestAgent other = fixture.connected("n2");
        TestAgent agent = fixture.connected("n1");
        Heartbeat.Builder bomb = Heartbeat.newBuilder();
        bomb.addFindingsBuilder().setDetail("x".repeat(300 * 1024));

        agent.send(bomb.build());

        assertThat(agent.received.failureCode())
                .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.CANCELLED);
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1", "n2"));
        await().atMost(Waits.LIMIT).until(() -> !leader.disconnected().isEmpty());
        assertThat(leader.disconnected()).containsExactly("n1");
        assertThat(other.received.ended()).isFalse();
    }

    @Test
    @DisplayName("H9: a message of 256 KiB is taken, and one byte more ends its stream")
    void theLargestMessageIsTakenAndOneByteMoreIsNot() {
        TestAgent agent = fixture.connected("n1");
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1"));

        agent.send(messageOf(LARGEST_MESSAGE)).send(status(1, 1, ATTEMPT_OUTCOME_IN_PROGRESS));

        leader.awaitStatus("n1", 1, 1); // whatever came before it was taken
        assertThat(agent.received.ended()).isFalse();
        agent.send(messageOf(LARGEST_MESSAGE + 1));
        assertThat(agent.received.failureCode())
                .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.CANCELLED);
        await().atMost(Waits.LIMIT).until(() -> leader.disconnected().contains("n1"));
    }

    /** A message of a later agent, exactly so large on the wire. */
    private static ConnectRequest messageOf(int bytes) {
        int frame = message(bytes / 2).getSerializedSize() - bytes / 2; // the same for all of these
        ConnectRequest message = message(bytes - frame);
        assertThat(message.getSerializedSize()).isEqualTo(bytes);
        return message;
    }

    private static ConnectRequest message(int detail) {
        UnknownFieldSet.Field later =
                UnknownFieldSet.Field.newBuilder()
                        .addLengthDelimited(ByteString.copyFrom(new byte[detail]))
                        .build();
        return ConnectRequest.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder().addField(99, later).build())
                .build();
    }

    @Test
    @DisplayName("H9: a status above 32 KiB is refused with a sentence")
    void anOversizedStatusIsRefused() {
        TestAgent agent = fixture.connected("n1");

        agent.send(
                AttemptStatus.newBuilder().setAttempt(1).setLogTail("x".repeat(33 * 1024)).build());

        assertThat(agent.received.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);
    }

    @Test
    @DisplayName("H9: metadata above 8 KiB is refused")
    void oversizedMetadataIsRefused() {
        fixture.register("n1");

        TestAgent heavy =
                TestAgent.connectWithWindow(9 * 1024, fixture.agents, token("n1"))
                        .send(hello(1, 1));

        assertThat(heavy.received.failureCode()).isNotEqualTo(Status.Code.OK);
        assertThat(fixture.node("n1").getOnline()).isFalse();
        TestAgent light =
                TestAgent.connectWithWindow(7 * 1024, fixture.agents, token("n1"))
                        .send(hello(1, 2));
        assertThat(light.session()).as("the same token with less beside it").isNotEmpty();
    }

    @Test
    void disconnectsAnAgentWithoutHelloAfterTenSeconds() {
        fixture.register("n1");
        long started = System.nanoTime();

        TestAgent unresponsive = TestAgent.connect(fixture.agents, token("n1"));

        assertThat(unresponsive.received.refusal()).isEqualTo(RefusalCode.FIRST_MESSAGE_NOT_HELLO);
        Duration took = since(started);
        assertThat(took).isGreaterThanOrEqualTo(Duration.ofSeconds(9));
        Waits.measured("LimitsIT: an agent without a Hello", took, Duration.ofSeconds(15));
    }

    private static Duration since(long started) {
        return Duration.ofNanos(System.nanoTime() - started);
    }

    @Test
    @DisplayName(
            "An agent is asked to dial again before its connection is of age; who stays is cut")
    @Faults(
            rule = "D-120 (a connection has a maximum age)",
            sample = "AgentEndpointLimitsIT.whoStaysIsCut")
    void aConnectionHasItsAge() {
        Duration age = Duration.ofSeconds(4);
        Duration grace = Duration.ofSeconds(60); // the next connection comes before its end
        fixture.close();
        fixture = GatewayFixture.onLoopback(TestLimits.living(age, grace));
        long started = System.nanoTime();
        TestAgent stubborn = fixture.connected("n1");

        Reconnect requested =
                stubborn.received.awaitMessage(ConnectResponse::hasReconnect).getReconnect();

        Duration took = since(started);
        assertThat(took).isGreaterThanOrEqualTo(age.multipliedBy(3).dividedBy(4));
        Waits.measured("LimitsIT: asked to reconnect", took, age);
        assertThat(requested.getWithin().getSeconds()).isEqualTo(1);
        assertThat(stubborn.received.ended()).isFalse();
        TestAgent next =
                TestAgent.connect(fixture.channelForAgents(0), token("n1")).send(hello(1, 2));
        assertThat(next.session()).isNotEmpty();
        assertThat(stubborn.received.refusal()).isEqualTo(RefusalCode.SESSION_SUPERSEDED);
    }

    @Test
    @DisplayName("A connection whose agent stays when it was asked to go is cut after its grace")
    void whoStaysIsCut() {
        Duration age = Duration.ofSeconds(5); // enough for a Welcome on a busy machine
        Duration grace = Duration.ofSeconds(3); // more than a farewell has
        fixture.close();
        fixture = GatewayFixture.onLoopback(TestLimits.living(age, grace));
        long started = System.nanoTime();
        TestAgent stubborn = fixture.connected("n1");

        assertThat(stubborn.received.failureCode()).isEqualTo(Status.Code.UNAVAILABLE);

        Duration took = since(started);
        assertThat(took)
                .isGreaterThanOrEqualTo(
                        age.multipliedBy(9).dividedBy(10).plus(grace)); // the transport's tenth
        Waits.measured(
                "LimitsIT: an agent that stays",
                took,
                age.multipliedBy(11).dividedBy(10).plus(grace).plusSeconds(5));
        await().atMost(Waits.LIMIT).until(() -> !fixture.node("n1").getOnline());
    }

    @Test
    @DisplayName("A thousand sessions with 64 files each are shown in messages of at most 4 MiB")
    @Faults(
            rule = "I5 (all queues and connections are bounded)",
            sample = "AgentEndpointLimitsIT.theLargestMessageIsTakenAndOneByteMoreIsNot")
    void takesAThousandSessionsAndShowsThemToALeader() {
        long started = System.nanoTime();
        List<String> names = IntStream.range(0, 1_000).mapToObj(i -> "n" + i).toList();
        names.forEach(fixture::register);
        List<TestAgent> agents = new ArrayList<>();

        names.forEach(
                name ->
                        agents.add(
                                TestAgent.connect(
                                                fixture.channelForAgents(agents.size()),
                                                token(name))
                                        .send(withFiles(64))));
        agents.forEach(TestAgent::session);
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, names);
        agents.forEach(
                agent ->
                        agent.send(
                                ConnectRequest.newBuilder()
                                        .setStatus(AttemptStatus.newBuilder().setAttempt(1))
                                        .build()));
        await().atMost(Waits.LIMIT).until(() -> leader.statuses().size() >= 1_000);

        assertThat(leader.present())
                .extracting(Session::getNodeId)
                .hasSize(1_000)
                .doesNotHaveDuplicates();
        Waits.measured("LimitsIT: 1,000 sessions", since(started), Duration.ofSeconds(30));
    }

    /** 7.5 KiB of inventory. */
    private static Hello.Builder withFiles(int files) {
        Hello.Builder hello = hello(1, 1);
        for (int i = 0; i < files; i++) {
            hello.getProgramsBuilder(0)
                    .addConfigFilesBuilder()
                    .setPath("/etc/program/configuration-" + i + ".toml")
                    .setDigest("sha256:" + "0".repeat(64));
        }
        return hello;
    }
}
