package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.request.NodeClearingRules;
import drover.model.NodeId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Nodes whose agents know more attempts than a database that was restored from a backup. */
final class RestoredDatabaseTest {
    private static final NodeId AHEAD = Given.node(1);

    @Test
    @DisplayName("D-4, G5: a node ahead of the database gets no work until an operator clears it")
    void aNodeAheadOfTheDatabaseWaitsForAClear() {
        Given given = Given.rolling(2, 2);
        given.fleet.knowsAttempt(AHEAD, 3);

        given.start();

        assertThat(given.inFlight()).containsExactly(Given.node(2));
        assertThat(given.state(AHEAD))
                .isInstanceOfSatisfying(
                        NodeState.Skipped.class,
                        skipped -> {
                            assertThat(skipped.reason()).isEqualTo(SkipReason.DRIFTED);
                            assertThat(skipped.detail()).contains("the database is from the past");
                        });
        assertThat(
                        NodeClearingRules.decide(
                                AHEAD, given.fleet.reservation(AHEAD), given.fleet.node(AHEAD)))
                .isEqualTo(new NodeClearingRules.Outcome.AssignClearAttempt(4));
    }
}
