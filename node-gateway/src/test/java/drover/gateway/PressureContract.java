package drover.gateway;

import static drover.agent.v1.AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static drover.gateway.TestAgent.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.ConnectResponse;
import drover.node.v1.NodeStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Those who read slowly skip versions, and cost nobody anything. */
abstract class PressureContract {
    private static final int MANY = 1_000;
    private static final String LARGE = "x".repeat(100 * 1024);

    private GatewayFixture fixture;

    abstract GatewayFixture open();

    @BeforeEach
    void openTheDoors() {
        fixture = open();
    }

    @AfterEach
    void closeTheDoors() {
        fixture.close();
    }

    @Test
    @DisplayName("I3: an agent that never reads keeps one command waiting and delays nobody")
    void anAgentThatNeverReadsCostsOneCommand() {
        fixture.register("deaf");
        TestAgent deaf =
                TestAgent.dialWithoutReading(fixture.agents, token("deaf")).says(hello(1, 1));
        TestAgent other = fixture.connected("other");
        await().until(() -> fixture.node("deaf").getOnline());
        TestLeader leader =
                TestLeader.attach(fixture.internal, 1).watches(1, List.of("deaf", "other"));
        String session =
                leader.present().stream()
                        .filter(present -> present.getNodeId().equals("deaf"))
                        .findFirst()
                        .orElseThrow()
                        .getSessionId();

        for (int i = 0; i < MANY; i++) { // 100 MB in all
            leader.sends("deaf", session, leader.command(i + LARGE));
        }
        leader.withdraws("deaf", session, 1);
        leader.withdraws("other", other.session(), 1);

        other.heard.hears(ConnectResponse::hasWithdraw);
        deaf.heard.readOn(MANY * 2);
        deaf.heard.hears(ConnectResponse::hasWithdraw);
        String last = (MANY - 1) + LARGE;
        deaf.heard.hears(said -> said.getCommand().getBody().toStringUtf8().equals(last));
        assertThat(deaf.heard.heard().size()).isLessThan(50); // what the transport may hold
    }

    @Test
    @DisplayName("R2: a leader that reads late gets the latest status, not all of them")
    void aLeaderThatReadsLateSkipsVersions() {
        TestAgent agent = fixture.connected("n1");
        TestLeader leader = TestLeader.attachWithoutReading(fixture.internal, 1);
        leader.interest(1, List.of("n1"), List.of());

        for (int sequence = 1; sequence <= MANY * 5; sequence++) {
            agent.says(
                    status(1, sequence, ATTEMPT_OUTCOME_IN_PROGRESS).toBuilder()
                            .setLogTail("x".repeat(8 * 1024))
                            .build());
        }
        agent.says(status(2, 1, ATTEMPT_OUTCOME_IN_PROGRESS));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> fixture.node("n1").getAttemptFloor() == 2);
        leader.heard.readOn(MANY * 10);

        leader.hearsStatus("n1", 2, 1);
        List<NodeStatus> heard = leader.statuses();
        assertThat(heard.size()).isLessThan(MANY);
        assertThat(heard.getLast().getStatus().getAttempt()).isEqualTo(2);
    }
}
