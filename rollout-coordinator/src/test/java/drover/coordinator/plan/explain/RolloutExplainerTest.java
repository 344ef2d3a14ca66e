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

    /** T16: history counts the failures of its moment, the explanation those of now. */
    @Test
    void failuresAfterThePauseCountByNow() {
        Given given = Given.rolling(2, 2).start();
        given.fails(Given.node(1)).plan();
        assertThat(sentence(given))
                .startsWith("1 node failed by now, more than the threshold of 0;");
        given.fails(Given.node(2)).plan();
        assertThat(sentence(given))
                .isEqualTo(
                        "2 nodes failed by now, more than the threshold of 0; look at them, then"
                                + " resume acknowledging 2, or roll back.");
    }

    private static String sentence(Given given) {
        return RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence();
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
