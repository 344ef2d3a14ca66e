package drover.gateway;

import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.Heartbeat;
import drover.model.RefusalCode;
import drover.node.v1.Session;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a real port refuses, and how many it takes. */
class LimitsIT {
    private GatewayFixture fixture;

    @BeforeEach
    void openTheDoors() {
        fixture = GatewayFixture.onLoopback();
    }

    @AfterEach
    void closeTheDoors() {
        fixture.close();
    }

    @Test
    @DisplayName("H9: a message above 256 KiB ends its stream and no other")
    void anOversizedMessageEndsItsStream() {
        TestAgent other = fixture.connected("n2");
        TestAgent agent = fixture.connected("n1");
        Heartbeat.Builder bomb = Heartbeat.newBuilder();
        bomb.addFindingsBuilder().setDetail("x".repeat(300 * 1024));

        agent.says(bomb.build());

        assertThat(agent.heard.failureCode())
                .isIn(Status.Code.RESOURCE_EXHAUSTED, Status.Code.CANCELLED);
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, List.of("n1", "n2"));
        assertThat(leader.gone()).containsExactly("n1");
        assertThat(other.heard.ended()).isFalse();
    }

    @Test
    @DisplayName("H9: a status above 32 KiB is refused with a sentence")
    void anOversizedStatusIsRefused() {
        TestAgent agent = fixture.connected("n1");

        agent.says(
                AttemptStatus.newBuilder().setAttempt(1).setLogTail("x".repeat(33 * 1024)).build());

        assertThat(agent.heard.refusal()).isEqualTo(RefusalCode.INVALID_FIELD);
    }

    @Test
    @DisplayName("H9: metadata above 8 KiB is refused")
    void oversizedMetadataIsRefused() {
        TestAgent agent = TestAgent.dial(fixture.agents, "x".repeat(9 * 1024)).says(hello(1, 1));

        assertThat(agent.heard.failureCode()).isNotEqualTo(Status.Code.OK);
        assertThat(fixture.nodes()).isEmpty();
    }

    @Test
    void anAgentThatSaysNothingIsLetGoAfterTenSeconds() {
        fixture.register("n1");

        TestAgent silent = TestAgent.dial(fixture.agents, token("n1"));

        assertThat(silent.heard.refusal()).isEqualTo(RefusalCode.FIRST_MESSAGE_NOT_HELLO);
    }

    @Test
    void takesAThousandSessionsAndShowsThemToALeader() {
        List<String> names = IntStream.range(0, 1_000).mapToObj(i -> "n" + i).toList();
        names.forEach(fixture::register);
        long begun = System.nanoTime();
        List<TestAgent> agents = new ArrayList<>();

        names.forEach(
                name ->
                        agents.add(
                                TestAgent.dial(fixture.channelForAgents(agents.size()), token(name))
                                        .says(hello(1, 1))));
        agents.forEach(TestAgent::session);
        TestLeader leader = TestLeader.attach(fixture.internal, 1).watches(1, names);
        agents.forEach(
                agent ->
                        agent.says(
                                ConnectRequest.newBuilder()
                                        .setStatus(AttemptStatus.newBuilder().setAttempt(1))
                                        .build()));
        org.awaitility.Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> leader.statuses().size() >= 1_000);

        assertThat(leader.present())
                .extracting(Session::getNodeId)
                .hasSize(1_000)
                .doesNotHaveDuplicates();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(30));
    }
}
