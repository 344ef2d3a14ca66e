package drover.coordinator.plan.group;

import static drover.coordinator.plan.group.GivenGroup.SIZE;
import static drover.coordinator.plan.group.GivenGroup.at;
import static drover.coordinator.plan.group.GroupFailurePolicy.MANUAL;
import static drover.coordinator.plan.group.GroupFailurePolicy.PARTIAL_OK;
import static drover.coordinator.plan.group.GroupFailurePolicy.ROLLBACK_ALL;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GroupPlannerTest {
    @Test
    @DisplayName("A3: components go one after the other, each only when the one before is done")
    void startsEachComponentWhenTheOneBeforeIsCompleted() {
        GivenGroup given = at(0, MANUAL);
        assertThat(given.requested).containsExactly("0 Start");
        given.complete(0);
        given.settle();
        assertThat(given.requested).containsExactly("0 Start", "1 Start");
        given.complete(1);
        given.settle();
        given.complete(2);
        given.settle();
        assertThat(given.requested).containsExactly("0 Start", "1 Start", "2 Start");
        assertThat(given.status()).isEqualTo("completed");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void partialOkKeepsWhatIsCompletedAndStartsNothingMore(int failing) {
        GivenGroup given = at(failing, PARTIAL_OK);
        given.fail(failing);
        given.settle();
        assertThat(given.status()).isEqualTo(failing == 0 ? "failed" : "partial");
        for (int i = 0; i < SIZE; i++) {
            assertThat(given.components.get(i))
                    .isInstanceOf(
                            i < failing
                                    ? RolloutState.Completed.class
                                    : RolloutState.Cancelled.class);
        }
        assertThat(given.requested).doesNotContain(failing + " Rollback", (failing + 1) + " Start");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @DisplayName("A3: rollback_all goes back in reverse order, one component at a time")
    void rollbackAllRollsBackInReverseOrder(int failing) {
        GivenGroup given = at(failing, ROLLBACK_ALL);
        given.fail(failing);
        for (int i = failing; i >= 0; i--) {
            given.settle();
            assertThat(given.components.get(i)).isInstanceOf(RolloutState.RollingBack.class);
            if (i > 0) {
                assertThat(given.components.get(i - 1)).isInstanceOf(RolloutState.Completed.class);
            }
            given.rolledBack(i);
        }
        given.settle();
        assertThat(given.status()).isEqualTo("rolled_back");
        for (int i = failing + 1; i < SIZE; i++) {
            assertThat(given.components.get(i)).isInstanceOf(RolloutState.Cancelled.class);
            assertThat(given.requested).doesNotContain(i + " Start", i + " Rollback");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void manualPausesAndLeavesEverythingAsItIs(int failing) {
        GivenGroup given = at(failing, MANUAL);
        given.fail(failing);
        given.settle();
        assertThat(given.group.state())
                .isInstanceOfSatisfying(
                        GroupState.Paused.class,
                        paused ->
                                assertThat(paused.reason())
                                        .isEqualTo(GroupPauseReason.COMPONENT_FAILED));
        assertThat(given.requested).noneMatch(request -> request.contains("Cancel"));
        assertThat(given.requested).noneMatch(request -> request.contains("Rollback"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void afterAManualPauseResumeGoesOnWithTheComponent(int failing) {
        GivenGroup given = at(failing, MANUAL);
        given.fail(failing);
        given.settle();
        given.request(new GroupRequest.Resume(1));
        given.settle();
        assertThat(given.components.get(failing)).isInstanceOf(RolloutState.Running.class);
        assertThat(given.status()).isEqualTo("running");
        given.fail(failing); // the same again is a failure again
        given.settle();
        assertThat(given.status()).isEqualTo("paused");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void afterAManualPauseSkipGivesTheComponentUpAndGoesOn(int failing) {
        GivenGroup given = at(failing, MANUAL);
        given.fail(failing);
        given.settle();
        given.request(new GroupRequest.Skip());
        given.settle();
        assertThat(given.components.get(failing)).isInstanceOf(RolloutState.Cancelled.class);
        for (int i = failing + 1; i < SIZE; i++) {
            assertThat(given.components.get(i)).isInstanceOf(RolloutState.Running.class);
            given.complete(i);
            given.settle();
        }
        assertThat(given.status()).isEqualTo("partial");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void afterAManualPauseRollbackBringsEverythingBack(int failing) {
        GivenGroup given = at(failing, MANUAL);
        given.fail(failing);
        given.settle();
        given.request(new GroupRequest.Rollback());
        for (int i = failing; i >= 0; i--) {
            given.settle();
            assertThat(given.components.get(i)).isInstanceOf(RolloutState.RollingBack.class);
            given.rolledBack(i);
        }
        given.settle();
        assertThat(given.status()).isEqualTo("rolled_back");
    }

    @Test
    void aGroupWhoseEveryComponentWasSkippedHasFailed() {
        GivenGroup given = at(0, MANUAL);
        for (int i = 0; i < SIZE; i++) {
            given.fail(i);
            given.settle();
            given.request(new GroupRequest.Skip());
            given.settle();
        }
        assertThat(given.status()).isEqualTo("failed");
    }

    @ParameterizedTest
    @EnumSource(GroupFailurePolicy.class)
    void anUnhealthyGateIsAFailureAndThePolicyDecides(GroupFailurePolicy policy) {
        GivenGroup given = at(0, policy);
        given.gate = GivenGroup.shut();
        given.complete(0);
        given.settle();
        assertThat(given.status())
                .isEqualTo(
                        switch (policy) {
                            case PARTIAL_OK -> "partial";
                            case ROLLBACK_ALL -> "rolling_back";
                            case MANUAL -> "paused";
                        });
        assertThat(given.requested).doesNotContain("1 Start");
    }

    @ParameterizedTest
    @EnumSource(GroupFailurePolicy.class)
    @DisplayName("R3: a silent gate waits, then pauses whatever the policy, and nothing is touched")
    void anUnresponsiveGateWaitsAndThenPauses(GroupFailurePolicy policy) {
        GivenGroup given = at(0, policy);
        given.gate = new GroupGateStatus.Waiting(GivenGroup.START, "Nothing was heard of n-1.");
        given.complete(0);
        given.settle();
        assertThat(given.status()).isEqualTo("running");
        given.now = given.now.plus(GivenGroup.component(0).gateTimeout()).minusSeconds(1);
        given.settle();
        assertThat(given.status()).isEqualTo("running");
        given.now = given.now.plusSeconds(1);
        given.settle();
        assertThat(given.because()).isEqualTo("GATE_UNKNOWN");
        assertThat(given.status()).isEqualTo("paused");
        assertThat(given.components.get(0)).isInstanceOf(RolloutState.Completed.class);
        assertThat(given.requested).containsExactly("0 Start");
    }

    @Test
    void aGateThatANewLeaderListensToGetsItsWholeTime() {
        GivenGroup given = at(0, MANUAL);
        Duration timeout = GivenGroup.component(0).gateTimeout();
        given.gate =
                new GroupGateStatus.Waiting(GivenGroup.START.plus(timeout), "Nothing was heard.");
        given.complete(0);
        given.settle();
        given.now = GivenGroup.START.plus(timeout).plusSeconds(1);
        given.settle();
        assertThat(given.status()).isEqualTo("running");
    }

    @Test
    void skippingAtAGatePassesItAndTheComponentStaysCompleted() {
        GivenGroup given = at(0, MANUAL);
        given.gate = GivenGroup.shut();
        given.complete(0);
        given.settle();
        given.request(new GroupRequest.Skip());
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Running.class);
        assertThat(given.group.skipped()).isEmpty();
    }

    @Test
    void resumingAtAGateChecksItAgain() {
        GivenGroup given = at(0, MANUAL);
        given.gate = GivenGroup.shut();
        given.complete(0);
        given.settle();
        given.gate = new GroupGateStatus.Open(3);
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Running.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = PauseReason.class,
            names = {"OPERATOR", "NO_FLEET_VISIBILITY", "HEALTH_UNAVAILABLE", "NODES_OFFLINE"})
    @DisplayName("R3: a component that paused for another reason than failures rolls nothing back")
    void aComponentThatPausedWithoutFailurePausesTheGroupRegardlessOfThePolicy(PauseReason reason) {
        GivenGroup given = at(1, ROLLBACK_ALL);
        given.components.set(1, new RolloutState.Running(given.now).pause(reason, given.now));
        given.settle();
        assertThat(given.status()).isEqualTo("paused");
        assertThat(given.because()).isEqualTo(reason.name());
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    void pausingPausesTheComponentAtWorkAndResumingResumesIt() {
        GivenGroup given = at(1, ROLLBACK_ALL);
        given.request(new GroupRequest.Pause());
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Paused.class);
        assertThat(given.status()).isEqualTo("paused");
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Running.class);
        assertThat(given.status()).isEqualTo("running");
    }

    @Test
    void aPauseThatOvertakesTheStartOfAComponentStillHoldsIt() {
        GivenGroup given = new GivenGroup(SIZE, MANUAL);
        given.request(new GroupRequest.Start());
        given.plan(); // asks, and the component has not answered
        given.request(new GroupRequest.Pause());
        given.settle();
        assertThat(given.components.get(0)).isInstanceOf(RolloutState.Paused.class);
        assertThat(given.status()).isEqualTo("paused");
    }

    @Test
    void resumingAtOnceAfterAPauseResumesTheComponentToo() {
        GivenGroup given = at(0, MANUAL);
        given.request(new GroupRequest.Pause());
        given.plan(); // the component is asked to pause, and has not answered
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(0)).isInstanceOf(RolloutState.Running.class);
        assertThat(given.status()).isEqualTo("running");
    }

    @Test
    void aComponentThatAnOperatorForcedTakesThePausedGroupAlong() {
        GivenGroup given = at(0, MANUAL);
        given.fail(0);
        given.settle();
        given.components.set(0, new RolloutState.Running(given.now));
        given.settle();
        assertThat(given.status()).isEqualTo("running");
        assertThat(given.because()).isEqualTo("COMPONENT_GOES_ON");
    }

    @Test
    void cancellingEndsTheComponentAtWorkAndThoseThatWait() {
        GivenGroup given = at(1, ROLLBACK_ALL);
        given.request(new GroupRequest.Cancel());
        given.settle();
        assertThat(given.status()).isEqualTo("cancelled");
        assertThat(given.components.get(0)).isInstanceOf(RolloutState.Completed.class);
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Cancelled.class);
        assertThat(given.components.get(2)).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    void aRollbackThatIsIncompleteStopsThereAndLeavesTheComponentsBefore() {
        GivenGroup given = at(2, ROLLBACK_ALL);
        given.fail(2);
        given.settle();
        given.rolledBack(2);
        given.settle();
        given.rollbackIncomplete(1);
        given.settle();
        assertThat(given.group.state())
                .isInstanceOfSatisfying(
                        GroupState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(GroupFailureReason.ROLLBACK_INCOMPLETE));
        assertThat(given.components.get(0)).isInstanceOf(RolloutState.Completed.class);
        given.request(new GroupRequest.Rollback());
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
        given.rolledBack(1);
        given.settle();
        given.rolledBack(0);
        given.settle();
        assertThat(given.status()).isEqualTo("rolled_back");
    }

    @Test
    void aPausedRollbackGoesOnWhereItStood() {
        GivenGroup given = at(1, ROLLBACK_ALL);
        given.fail(1);
        given.settle();
        given.request(new GroupRequest.Pause());
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Paused.class);
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
        assertThat(given.status()).isEqualTo("rolling_back");
    }

    @Test
    @DisplayName("A12: paused before it asked for the way back, a group lets nothing go forward")
    void aRollbackThatIsPausedAtOnceStopsWhatGoesForward() {
        GivenGroup given = at(1, MANUAL);
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Running.class);
        given.request(new GroupRequest.Rollback());
        given.request(new GroupRequest.Pause());
        given.settle();
        assertThat(given.status()).isEqualTo("paused");
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Paused.class);
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
    }

    @Test
    @DisplayName("A12: a component that is being cancelled ends first, so that a pause holds")
    void doesNotRollBackAComponentThatIsBeingCancelled() {
        GivenGroup given = at(1, MANUAL);
        given.components.set(1, new RolloutState.Cancelling(given.now));
        given.request(new GroupRequest.Rollback());
        given.settle();
        given.request(new GroupRequest.Pause());
        given.components.set(1, new RolloutState.Cancelled(given.now));
        given.settle();
        assertThat(given.requested).doesNotContain("1 Rollback");
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.requested).contains("1 Rollback");
    }

    @Test
    @DisplayName("A11: a component that completes before its skip reaches it is completed")
    void whatCompletesInSpiteOfItsSkipIsNotCalledPartial() {
        GivenGroup given = at(2, MANUAL);
        given.request(new GroupRequest.Pause());
        given.request(new GroupRequest.Skip());
        given.components.set(2, new RolloutState.Completed(given.now));
        given.settle();
        assertThat(given.status()).isEqualTo("completed");
    }

    @Test
    void aFailedComponentThatWasForcedCountsAsAFailure() {
        GivenGroup given = at(1, PARTIAL_OK);
        given.components.set(
                1, new RolloutState.Failed(RolloutFailureReason.NODES_FAILED, given.now));
        given.settle();
        assertThat(given.status()).isEqualTo("partial");
    }

    @Test
    void repeatsAnExpiredRequestOnce() {
        GivenGroup given = new GivenGroup(SIZE, MANUAL);
        given.request(new GroupRequest.Start());
        given.plan();
        given.expire();
        given.settle();
        assertThat(given.requested).containsExactly("0 Start", "0 Start");
        assertThat(given.components.get(0)).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    void groupThatIsNeverStartedFailsAndCancelsItsComponents() {
        GivenGroup given = new GivenGroup(SIZE, MANUAL);
        given.settle();
        assertThat(given.status()).isEqualTo("pending");
        given.now = GivenGroup.START.plus(GivenGroup.EXPIRY);
        given.settle();
        assertThat(given.group.state())
                .isEqualTo(new GroupState.Failed(GroupFailureReason.NEVER_STARTED, given.now));
        assertThat(given.components).allMatch(RolloutState.Cancelled.class::isInstance);
    }

    @Test
    void aResumeThatTheComponentWouldRefuseIsRefusedWithItsOwnWords() {
        GivenGroup given = at(0, MANUAL);
        given.fail(0);
        given.settle();
        given.resumption =
                Optional.of(
                        new RequestDecision.Refused(
                                RefusalCode.ACKNOWLEDGE_FAILURES, "Acknowledge 2 failures."));
        assertThat(given.request(new GroupRequest.Resume(1)))
                .isEqualTo(
                        new GroupRequestDecision.Refused(
                                RefusalCode.ACKNOWLEDGE_FAILURES, "Acknowledge 2 failures."));
        assertThat(given.status()).isEqualTo("paused");
    }

    @Test
    void repeatedPlansRequestOnce() {
        GivenGroup given = new GivenGroup(SIZE, MANUAL);
        given.request(new GroupRequest.Start());
        given.plan();
        assertThat(given.plan()).isFalse(); // asked and unanswered: the writer would say otherwise
        assertThat(given.requested).containsExactly("0 Start");
    }
}
