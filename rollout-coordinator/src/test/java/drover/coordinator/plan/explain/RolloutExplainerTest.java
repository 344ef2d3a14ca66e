package drover.coordinator.plan.explain;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
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

    @Test
    @DisplayName("A23: the explanation of a rollback states its order and health gate")
    void statesTheOrderOfARollback() {
        Given given = Given.rolling(2, 1).start().batchSucceeds().batchSucceeds();
        given.fleet.unhealthy(Given.node(1), given.upgrade(Given.node(1)).attempt());
        given.fleet.unhealthy(Given.node(2), given.upgrade(Given.node(2)).attempt());
        given.request(new OperatorRequest.Rollback(Optional.of(RollbackHealthPolicy.ASK)));
        assertThat(sentence(given))
                .isEqualTo(
                        "The rollback has restored 0 nodes so far. It restores unhealthy nodes first"
                                + " (2), then the newest batch; health gate: ask.");
        given.fleet.seen = false;
        assertThat(sentence(given)).contains("unhealthy nodes first, then the newest batch");
    }

    @Test
    void namesTheRestoredNodeThatARollbackWaitsFor() {
        Given given = Given.rolling(2, 1).start().batchSucceeds().batchSucceeds().isObserved();
        given.request(new OperatorRequest.Rollback());
        given.plan().restoresUnobserved(Given.node(2)).isUnhealthy(Given.node(2));
        assertThat(sentence(given))
                .endsWith("It waits for the health of node node-02, which is restored.");
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
