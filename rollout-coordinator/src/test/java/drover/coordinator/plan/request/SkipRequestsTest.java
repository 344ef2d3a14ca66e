package drover.coordinator.plan.request;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest.HoldNode;
import drover.coordinator.plan.request.OperatorRequest.Resume;
import drover.coordinator.plan.request.OperatorRequest.Rollback;
import drover.coordinator.plan.request.OperatorRequest.SkipNode;
import drover.coordinator.plan.request.OperatorRequest.SkipNodes;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Issue 4, {@code /rollouts/{id}/skip}: several nodes are left alone by one request. */
class SkipRequestsTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);
    private static final NodeId THIRD = Given.node(3);
    private static final SkipNodes WHAT_HOLDS_IT_UP = new SkipNodes(List.of());
    private static final Cause CAUSE = new Cause("X", "It failed.");

    private static final NodeState FAILED_ROLLBACK =
            new NodeState.FailedRollback(1, CAUSE, Given.START);

    /**
     * A node stands like this.
     *
     * @param holdsItUp whether it holds the rollout up
     * @param byName whether it is skipped when it is named
     */
    record Stand(NodeState state, boolean holdsItUp, boolean byName) {}

    /** Every state of a node, and what the request makes of it. */
    static List<Stand> states() {
        Instant at = Given.START;
        return List.of(
                new Stand(new NodeState.Pending(at), false, true),
                new Stand(new NodeState.Held("disk", at.plusSeconds(60), at), true, true),
                new Stand(new NodeState.Assigned(1, false, at), false, false),
                new Stand(new NodeState.Upgrading(1, at), false, false),
                new Stand(new NodeState.Settling(1, "run", at), false, false),
                new Stand(new NodeState.Observed(1, "run", at, at), false, false),
                new Stand(
                        new NodeState.Restoring(
                                2, 1, NodeState.RestorePurpose.FAILED_GATE, true, CAUSE, at),
                        false,
                        false),
                new Stand(new NodeState.Succeeded(1, "run", at), false, false),
                new Stand(new NodeState.Unhealthy(1, "run", CAUSE, at), true, true),
                new Stand(new NodeState.Failed(1, CAUSE, at), true, true),
                new Stand(FAILED_ROLLBACK, true, true),
                new Stand(new NodeState.Unreachable(1, 0, CAUSE, at), true, true),
                new Stand(
                        new NodeState.Skipped(SkipReason.OFFLINE, "It is away.", at), false, false),
                new Stand(new NodeState.Restored(1, "run", at), false, false),
                new Stand(new NodeState.RolledBack(1, at), false, false));
    }

    private static void put(Given given, NodeId id, NodeState state) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(given.rollout.nodes());
        nodes.put(id, given.upgrade(id).withState(state));
        Rollout before = given.rollout;
        given.rollout =
                new Rollout(
                        before.id(),
                        before.revision(),
                        before.spec(),
                        before.state(),
                        before.acknowledgedFailures(),
                        before.acceptedOffline(),
                        before.batches(),
                        nodes);
    }

    private static void assertRefused(RequestDecision decision, RefusalCode code, String word) {
        assertThat(decision)
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(code);
                            assertThat(refused.sentence()).contains(word);
                        });
    }

    @Test
    void everyStateOfANodeIsAmongThem() {
        assertThat(states())
                .extracting(stand -> stand.state().getClass())
                .hasSize(NodeState.class.getPermittedSubclasses().length)
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("states")
    void onlyWhatFailedIsUnreachableOrIsHeldHoldsARolloutUp(Stand stand) {
        Given given = Given.rolling(3, 1).start();
        put(given, SECOND, stand.state());

        RequestDecision decision = given.request(WHAT_HOLDS_IT_UP);

        if (stand.holdsItUp()) {
            assertThat(given.state(SECOND))
                    .isInstanceOfSatisfying(
                            NodeState.Skipped.class,
                            skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.OPERATOR));
        } else {
            assertRefused(decision, RefusalCode.ALREADY, "nothing to skip");
            assertThat(given.state(SECOND)).isEqualTo(stand.state());
        }
    }

    @ParameterizedTest
    @MethodSource("states")
    void aNamedNodeIsSkippedWhereASingleOneWouldBe(Stand stand) {
        Given single = Given.rolling(3, 1).start();
        put(single, SECOND, stand.state());
        Given several = Given.rolling(3, 1).start();
        put(several, SECOND, stand.state());

        RequestDecision one = single.request(new SkipNode(SECOND));
        RequestDecision named = several.request(new SkipNodes(List.of(THIRD, SECOND)));

        assertThat(named instanceof RequestDecision.Applied).isEqualTo(stand.byName());
        if (one instanceof RequestDecision.Refused) {
            assertThat(named).isEqualTo(one);
            assertThat(several.state(THIRD)).isInstanceOf(NodeState.Pending.class);
        } else {
            assertThat(several.state(SECOND)).isEqualTo(single.state(SECOND));
            assertThat(several.state(THIRD)).isInstanceOf(NodeState.Skipped.class);
        }
    }

    @Test
    @DisplayName("A11: with all that failed skipped at once the rollout completes, and says why")
    void oneRequestLetsAPausedRolloutComplete() {
        Given given =
                Given.of(3, new Strategy.Rolling(3), new Threshold.Count(2), MigrationType.NONE)
                        .start()
                        .fails(FIRST)
                        .fails(SECOND)
                        .installs(THIRD)
                        .isHealthy(THIRD);
        given.isPausedFor(PauseReason.FAILED_NODES_REMAIN);
        given.received.clear();

        given.request(WHAT_HOLDS_IT_UP);

        assertThat(given.received)
                .extracting(Transition::node, row -> row.because().code())
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(FIRST, "OPERATOR"),
                        org.assertj.core.groups.Tuple.tuple(SECOND, "OPERATOR"));
        given.request(new Resume(0));
        given.plan().isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    void aNodeOfAnotherRolloutIsRefusedByNameAndNoneIsSkipped() {
        Given given = Given.rolling(3, 1).start();

        assertRefused(
                given.request(new SkipNodes(List.of(SECOND, new NodeId("stranger")))),
                RefusalCode.NODE_NOT_IN_ROLLOUT,
                "stranger");

        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Pending.class);
    }

    @Test
    @DisplayName("A9: a canary that is given up while its approval is awaited is observed anew")
    void aHeldNodeSkippedWhileApprovalIsAwaitedHasTheCanaryObservedAgain() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        given.batchSucceeds().at(Duration.ofDays(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        NodeId waiting =
                given.rollout.nodesInBatch(1).findFirst().map(NodeUpgrade::id).orElseThrow();
        given.request(new HoldNode(waiting, given.now.plusSeconds(60)));

        given.request(WHAT_HOLDS_IT_UP);

        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(given.state(waiting)).isInstanceOf(NodeState.Skipped.class);
    }

    @Test
    @DisplayName("A13: no rollback ends well because what it could not bring back was swept away")
    void aRollbackIsNotSweptButItsNodesAreSkippedByName() {
        Given given = Given.rolling(2, 1).start().batchSucceeds();
        given.request(new Rollback());
        put(given, SECOND, FAILED_ROLLBACK);

        assertRefused(given.request(WHAT_HOLDS_IT_UP), RefusalCode.TOO_LATE, "name the nodes");
        assertThat(given.request(new SkipNodes(List.of(SECOND))))
                .isInstanceOf(RequestDecision.Applied.class);
    }

    @Test
    void theOrderOfNamesAndANameTwiceMakeNoOtherRequest() {
        assertThat(new SkipNodes(List.of(SECOND, FIRST, SECOND)))
                .isEqualTo(new SkipNodes(List.of(FIRST, SECOND)));
    }
}
