package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.coordinator.plan.model.FailureAction;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A9: an approval stands until the first work that follows it, and a flip before spends it. */
class ApprovalRulesTest {
    private static final Cause PROBE =
            new Cause("PROBE_FAILED", "Probe 'ready' saw status 503, which is not 200.");

    private final Given given = Given.canary(4, MigrationType.BREAKING).start();
    private final NodeId canary = given.inFlight().getFirst();
    private final List<NodeId> others =
            given.rollout.nodes().keySet().stream().filter(node -> !node.equals(canary)).toList();

    private void awaitsApproval() {
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
    }

    private IncidentChange.Open incident(String code, String sentence) {
        return IncidentRules.unhealthyIncident(
                canary,
                given.rollout.id(),
                new Cause(code, "Unhealthy after it had succeeded: " + sentence));
    }

    private void approved() {
        awaitsApproval();
        assertThat(given.approve()).isInstanceOf(RequestDecision.Applied.class);
    }

    /** Nobody beyond the canary can be given work. */
    private void approveTheLastBatch() {
        others.forEach(node -> given.fleet.disconnect(node, given.now));
        approved();
        given.plan();
        assertThat(phase()).isEqualTo(BatchPhase.APPROVED);
    }

    private BatchPhase phase() {
        return given.rollout.batches().getFirst().phase();
    }

    private void isSpent(String how, String why) {
        given.isPausedFor(PauseReason.CANARY_UNHEALTHY);
        assertThat(given.inFlight()).doesNotContainAnyElementsOf(others);
        assertThat(phase()).isEqualTo(BatchPhase.AWAITING_APPROVAL);
        assertThat(given.received.getLast().because().sentence())
                .isEqualTo(
                        "Canary node "
                                + canary
                                + how
                                + " after the approval, before any work followed it"
                                + why);
    }

    @Test
    void isKeptInTheCanaryUntilTheFirstWorkThatFollows() {
        approved();
        assertThat(phase()).isEqualTo(BatchPhase.APPROVED);
        given.plan();
        assertThat(phase()).isEqualTo(BatchPhase.PROMOTED);
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    @DisplayName("A9: a canary that turns unwell after its approval pauses before any dispatch")
    void aCanaryThatTurnsUnhealthySpendsIt() {
        approved();
        given.isUnhealthy(canary);
        isSpent(" became unhealthy", ": It restarted 3 times.");
        assertThat(given.incidents).contains(incident("CRASH_LOOP", "It restarted 3 times."));
    }

    @Test
    @DisplayName("A22: a canary that becomes unhealthy while approval is awaited has an incident")
    void anUnhealthyCanaryThatAwaitsApprovalHasAnIncident() {
        awaitsApproval();
        given.fleet.unhealthy(canary, given.upgrade(canary).attempt(), PROBE);
        given.plan().isPausedFor(PauseReason.CANARY_UNHEALTHY);
        assertThat(given.received.getLast().because().sentence())
                .isEqualTo(
                        "Canary node "
                                + canary
                                + " became unhealthy while approval was awaited: "
                                + PROBE.sentence());
        assertThat(given.incidents).contains(incident(PROBE.code(), PROBE.sentence()));
    }

    @Test
    @DisplayName("A22: a canary that becomes unhealthy while the rollout is paused has an incident")
    void anUnhealthyCanaryOfAPausedRolloutHasAnIncident() {
        approved();
        given.request(new OperatorRequest.Pause());
        given.fleet.unhealthy(canary, given.upgrade(canary).attempt(), PROBE);
        given.plan();
        assertThat(given.incidents).contains(incident(PROBE.code(), PROBE.sentence()));
    }

    @Test
    void theIncidentIsOverOnceApprovalIsAwaitedAgain() {
        awaitsApproval();
        given.isUnhealthy(canary);
        given.fleet.healthy(canary, given.upgrade(canary).attempt());
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(given.incidents.getLast())
                .isEqualTo(
                        new IncidentChange.CloseMatching(
                                Set.of(IncidentCategory.NODE_UNHEALTHY),
                                canary,
                                given.rollout.id(),
                                new Cause(
                                        "HEALTHY",
                                        "The rollout is resumed; the canary is evaluated again.")));
    }

    @Test
    @DisplayName("A23: a canary that is rolled back for its health has an incident, too")
    void anUnhealthyCanaryThatIsRolledBackHasAnIncident() {
        Given back = Given.canary(2, MigrationType.BREAKING);
        back.rollout =
                back.rollout.withSpec(
                        back.rollout
                                .spec()
                                .withPolicy(
                                        new RolloutPolicy(
                                                FailureAction.ROLLBACK,
                                                null,
                                                ExpectedFailureReasons.NONE,
                                                RollbackHealthPolicy.WAIT,
                                                0,
                                                NodeOrder.DEFAULT)));
        NodeId node = back.start().inFlight().getFirst();
        back.installs(node).isHealthy(node).at(Duration.ofSeconds(20)).plan();
        back.isUnhealthy(node);
        assertThat(back.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);
        assertThat(back.incidents)
                .filteredOn(IncidentChange.Open.class::isInstance)
                .extracting(change -> ((IncidentChange.Open) change).category())
                .containsExactly(IncidentCategory.NODE_UNHEALTHY);
    }

    @Test
    void aCanaryThatDisconnectsSpendsIt() {
        approveTheLastBatch();
        given.fleet.disconnect(canary, given.now);
        given.at(Duration.ofMinutes(5));
        others.forEach(
                node -> given.fleet.connect(node, Given.OLD.value(), Given.OLD_CONFIG.value()));
        given.plan();
        isSpent(" went away", ".");
    }

    @Test
    @DisplayName("A9: while the canary is out of sight nothing follows it")
    void noBatchFollowsAnUnreachableCanary() {
        approved();
        given.fleet.disconnect(canary, given.now);
        given.plan();
        assertThat(phase()).isEqualTo(BatchPhase.APPROVED);
        assertThat(given.inFlight()).isEmpty();
        given.fleet.connect(canary, Given.NEW.value(), Given.NEW_CONFIG.value());
        given.plan();
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    @DisplayName("A9, F3: while nobody says that the canary is well now nothing follows it")
    void nothingFollowsACanaryOfWhoseHealthNothingIsKnown() {
        approved();
        given.fleet.verdicts.clear();
        given.plan();
        assertThat(phase()).isEqualTo(BatchPhase.APPROVED);
        assertThat(given.inFlight()).isEmpty();
        given.isHealthy(canary);
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    @DisplayName("A9: a batch whose turn has not come lets nobody be promoted for it")
    void waitsForTheBatchWhoseTurnIsNext() {
        List<NodeId> next =
                others.stream().filter(node -> given.upgrade(node).batch() == 1).toList();
        next.forEach(node -> given.fleet.disconnect(node, given.now.plusSeconds(20)));
        approved();
        given.plan();
        assertThat(phase()).isEqualTo(BatchPhase.APPROVED);
        assertThat(given.inFlight()).isEmpty();
    }

    @Test
    void aCanaryThatRevertsByItselfSpendsIt() {
        approveTheLastBatch();
        given.fleet.report(
                canary,
                given.upgrade(canary).attempt(),
                AttemptOutcome.FAILED,
                Given.OLD.value(),
                Given.OLD_CONFIG.value(),
                "TAKEN_BACK");
        given.plan();
        isSpent(" has become failed", ".");
    }

    @Test
    void isGivenAgainOnNewEvidence() {
        approved();
        given.isUnhealthy(canary);
        given.fleet.healthy(canary, given.upgrade(canary).attempt());
        given.at(Duration.ofMinutes(1)).request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(given.inFlight()).isEmpty();
        given.approve();
        given.plan();
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    @DisplayName("A9: a flip while the rollout is paused is not forgotten when it is resumed")
    void aFlipWhilePausedSpendsIt() {
        approved();
        given.request(new OperatorRequest.Pause());
        given.isUnhealthy(canary);
        assertThat(phase()).isEqualTo(BatchPhase.AWAITING_APPROVAL);
        given.fleet.healthy(canary, given.upgrade(canary).attempt());
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(given.inFlight()).isEmpty();
    }

    @Test
    void aPauseAloneDoesNotSpendIt() {
        approved();
        given.request(new OperatorRequest.Pause());
        given.plan().request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    void canaryEventsAfterTheFirstDispatchNeedNoNewApproval() {
        approved();
        given.plan();
        given.isUnhealthy(canary);
        assertThat(given.rollout.state()).isNotInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(phase()).isEqualTo(BatchPhase.PROMOTED);
    }

    @Test
    void endsWithoutAnyOtherService() {
        approveTheLastBatch();
        given.at(Duration.ofMinutes(10)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
    }

    @Test
    void aCanaryNodeThatReturnsIsObservedAgainAndApprovedAgain() {
        given.at(Duration.ofMinutes(2)).plan();
        assertThat(given.state(canary)).isInstanceOf(NodeState.Unreachable.class);
        given.request(new OperatorRequest.Resume(1));
        others.forEach(node -> given.fleet.disconnect(node, given.now));
        given.plan().approve();
        assertThat(phase()).isEqualTo(BatchPhase.APPROVED);
        given.installs(canary);
        assertThat(phase()).isEqualTo(BatchPhase.SETTLING);
        given.isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
    }

    @Test
    void aCanaryNodeThatIsGivenUpIsApprovedAgain() {
        Given two =
                Given.of(
                                4,
                                new Strategy.Canary(2, 2),
                                new Threshold.Count(3),
                                MigrationType.BREAKING)
                        .start();
        NodeId lost = two.inFlight().getFirst();
        NodeId healthy = two.inFlight().getLast();
        two.fails(lost).installs(healthy).isHealthy(healthy);
        two.request(new OperatorRequest.Resume(1));
        two.at(Duration.ofSeconds(20)).plan();
        two.approve();
        two.request(new OperatorRequest.SkipNode(lost));
        assertThat(two.rollout.batches().getFirst().phase())
                .isEqualTo(BatchPhase.AWAITING_APPROVAL);
    }
}
