package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.Rollout;
import drover.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** C6: the coordinator waits for a program that may take long to stop. */
class LongStopDeadlineTest {
    private static final NodeId NODE = Given.node(1);

    @Test
    @DisplayName("An attempt has 1,220 s without a stop timeout")
    void waitsAsUsualWithoutASetting() {
        Given given = Given.rolling(1, 1).start().starts(NODE);

        given.at(Duration.ofSeconds(1_220)).plan();

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Unreachable.class);
    }

    @Test
    @DisplayName("An attempt has twice 1,780 s more with a stop timeout of 30 min")
    void waitsForTheStopAndItsCompensation() {
        Given given = Given.rolling(1, 1);
        given.rollout = withStopTimeout(given.rollout, Duration.ofMinutes(30));
        given.start().starts(NODE);

        given.at(Duration.ofSeconds(1_220 + 2 * 1_780 - 1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Upgrading.class);
        given.at(Duration.ofSeconds(1)).plan();

        assertThat(given.state(NODE))
                .isInstanceOfSatisfying(
                        NodeState.Unreachable.class,
                        node ->
                                assertThat(node.cause().sentence())
                                        .startsWith(
                                                "The agent did not finish its work within 4780 s."));
    }

    private static Rollout withStopTimeout(Rollout rollout, Duration timeout) {
        return new Rollout(
                rollout.id(),
                rollout.revision(),
                rollout.spec().withStopTimeout(timeout),
                rollout.state(),
                rollout.acknowledgedFailures(),
                rollout.acceptedOffline(),
                rollout.batches(),
                rollout.nodes());
    }
}
