package drover.coordinator.plan.explain;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import org.junit.jupiter.api.Test;

class RolloutExplainerTest {
    /** T15: "It waits for 0 nodes in flight." */
    @Test
    void namesNoNodesInFlightWhereThereAreNone() {
        Given given = Given.rolling(2, 1);
        assertThat(cancellingSentence(given))
                .isEqualTo("No node is in flight: the rollout is cancelled in a moment.");
        given.start();
        assertThat(given.inFlight()).hasSize(1);
        assertThat(cancellingSentence(given)).isEqualTo("It waits for 1 node in flight.");
    }

    private static String cancellingSentence(Given given) {
        Rollout rollout = given.rollout;
        Rollout cancelling =
                new Rollout(
                        rollout.id(),
                        rollout.revision(),
                        rollout.spec(),
                        new RolloutState.Cancelling(given.now),
                        0,
                        0,
                        rollout.batches(),
                        rollout.nodes());
        return RolloutExplainer.rolloutReason(cancelling, given.fleet).sentence();
    }
}
