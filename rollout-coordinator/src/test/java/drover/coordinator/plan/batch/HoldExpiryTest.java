package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.request.OperatorRequest.HoldNode;
import drover.coordinator.plan.request.OperatorRequest.ReleaseNode;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HoldExpiryTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);

    private static RequestDecision hold(Given given, NodeId node, Duration length) {
        return given.request(new HoldNode(node, given.now.plus(length)));
    }

    private static RefusalCode refusal(RequestDecision decision) {
        assertThat(decision).isInstanceOf(RequestDecision.Refused.class);
        return ((RequestDecision.Refused) decision).code();
    }

    @Test
    void heldNodeIsNotDispatchedAndBlocksNoOtherNode() {
        Given given = Given.rolling(3, 1);
        hold(given, FIRST, Duration.ofHours(1));
        given.start();

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Held.class);
        assertThat(given.inFlight()).containsExactly(SECOND);
        assertThat(given.rollout.counters().pending()).isEqualTo(3);
    }

    @Test
    void whenTheHoldEndsItsTurnComesInTheBatchInFlight() {
        Given given = Given.rolling(3, 1);
        hold(given, FIRST, Duration.ofSeconds(30));
        given.start();
        assertThat(given.last.wakeAt()).isNotNull();

        given.batchSucceeds().at(Duration.ofSeconds(40)).plan();

        assertThat(given.inFlight()).as("A21: the batch size").containsExactly(Given.node(3));
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Pending.class);
        assertThat(given.upgrade(FIRST).batch()).isEqualTo(2);
        given.batchSucceeds();
        assertThat(given.inFlight()).containsExactly(FIRST);
    }

    @Test
    void aReleasedNodeHasItsTurn() {
        Given given = Given.rolling(2, 1);
        hold(given, FIRST, Duration.ofHours(1));
        given.start();
        given.request(new ReleaseNode(FIRST));
        given.plan();

        assertThat(given.inFlight()).as("A21: the batch size").containsExactly(SECOND);
        given.batchSucceeds();
        assertThat(given.inFlight()).containsExactly(FIRST);
    }

    @Test
    @DisplayName("A11: what is still held when everything else is done is skipped as HELD")
    void whatIsHeldAtTheEndIsSkipped() {
        Given given = Given.rolling(2, 1);
        hold(given, FIRST, Duration.ofHours(1));
        given.start().batchSucceeds().isObserved();

        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Skipped.class,
                        skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.HELD));
    }

    @Test
    @DisplayName("A8: a held canary node gives its place to another")
    void aHeldCanaryNodeIsReplaced() {
        Given given = Given.canary(3, MigrationType.BREAKING);
        NodeId canary = given.rollout.nodesInBatch(0).findFirst().orElseThrow().id();
        hold(given, canary, Duration.ofHours(1));
        given.start();

        assertThat(given.inFlight()).hasSize(1).doesNotContain(canary);
        assertThat(given.rollout.nodesInBatch(0)).hasSize(1);
        assertThat(given.upgrade(canary).batch()).isPositive();
    }

    @Test
    @DisplayName("A9: a canary whose only node is held proves nothing")
    void aCanaryWithoutItsNodeDoesNotPass() {
        Given given = Given.canary(1, MigrationType.BREAKING);
        hold(given, FIRST, Duration.ofMinutes(5));
        given.start();

        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(given.rollout.currentBatch()).isZero();
        given.at(Duration.ofMinutes(6)).plan();
        assertThat(given.inFlight()).containsExactly(FIRST);
    }

    @Test
    void onlyANodeWhoseTurnHasNotComeIsHeld() {
        Given given = Given.rolling(2, 1).start();
        assertThat(refusal(hold(given, FIRST, Duration.ofHours(1))))
                .isEqualTo(RefusalCode.NODE_IN_FLIGHT);
        given.batchSucceeds();
        assertThat(refusal(hold(given, FIRST, Duration.ofHours(1))))
                .isEqualTo(RefusalCode.NODE_NOT_PENDING);
        assertThat(refusal(given.request(new ReleaseNode(FIRST))))
                .isEqualTo(RefusalCode.NODE_NOT_HELD);
    }

    @Test
    void holdingAgainReplacesTheEnd() {
        Given given = Given.rolling(2, 1);
        hold(given, FIRST, Duration.ofHours(1));
        hold(given, FIRST, Duration.ofHours(2));

        assertThat(((NodeState.Held) given.state(FIRST)).until())
                .isEqualTo(given.now.plus(Duration.ofHours(2)));
    }
}
