package drover.coordinator.plan.group;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.RefusalCode;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A component that goes back by its own conduct, below a group that a person pauses. */
class PausedGroupRollbackTest {
    private final GivenGroup given = GivenGroup.at(1, GroupFailurePolicy.MANUAL);

    private void goesBack() {
        given.components.set(1, new RolloutState.RollingBack(given.now));
    }

    private void rests() {
        goesBack();
        given.request(new GroupRequest.Pause());
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Paused.class);
    }

    static Stream<GroupRequest> waysOn() {
        return Stream.of(
                new GroupRequest.Resume(0),
                new GroupRequest.Rollback(),
                new GroupRequest.Cancel(),
                new GroupRequest.Skip());
    }

    @ParameterizedTest
    @MethodSource("waysOn")
    @DisplayName(
            "A12: it rests while its group does, and goes on with whatever is asked of it next")
    void restsWithItsGroupAndGoesOnWithIt(GroupRequest onward) {
        rests();
        assertThat(given.request(onward)).isInstanceOf(GroupRequestDecision.Applied.class);
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
        assertThat(given.requested).contains("1 Resume").doesNotContain("1 Rollback", "1 Cancel");
    }

    @ParameterizedTest
    @MethodSource("waysOn")
    @DisplayName("A12: also where the pause has not reached it yet")
    void goesOnWhereThePauseIsUnderWay(GroupRequest onward) {
        goesBack();
        given.request(new GroupRequest.Pause());
        given.plan();
        assertThat(given.request(onward)).isInstanceOf(GroupRequestDecision.Applied.class);
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
        assertThat(given.status()).isNotEqualTo("paused");
    }

    @Test
    void aCancelledGroupEndsOnceItIsBack() {
        rests();
        given.request(new GroupRequest.Cancel());
        given.settle();
        given.rolledBack(1);
        given.settle();
        assertThat(given.status()).isEqualTo("cancelled");
    }

    @Test
    @DisplayName("A18: where a skipped component pauses on its way back, its group pauses with it")
    void aGroupPausesWithASkippedComponentAndIsResumed() {
        rests();
        given.request(new GroupRequest.Skip());
        given.settle();
        given.components.set(
                1,
                new RolloutState.RollingBack(given.now)
                        .pause(PauseReason.NO_FLEET_VISIBILITY, given.now));
        given.settle();
        assertThat(given.status()).isEqualTo("paused");
        assertThat(given.because()).isEqualTo("NO_FLEET_VISIBILITY");

        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
        given.rolledBack(1);
        given.settle();
        assertThat(given.components.get(2)).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    void theNextComponentStartsOnceTheSkippedOneIsBack() {
        rests();
        given.request(new GroupRequest.Skip());
        given.settle();
        given.rolledBack(1);
        given.settle();
        assertThat(given.components.get(2)).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    @DisplayName("A23: a cancelled group is resumed with the unhealthy nodes acknowledged")
    void aCancelledGroupPassesTheAcknowledgedNumberOn() {
        rests();
        given.request(new GroupRequest.Cancel());
        given.settle();
        given.unhealthyRestored = 2;
        given.components.set(
                1,
                new RolloutState.RollingBack(given.now)
                        .pause(PauseReason.RESTORED_UNHEALTHY, given.now));
        given.settle();
        given.request(new GroupRequest.Resume(0));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Paused.class);

        given.request(new GroupRequest.Resume(2));
        given.settle();

        assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
        given.rolledBack(1);
        given.settle();
        assertThat(given.status()).isEqualTo("cancelled");
    }

    @Test
    void aCancelledGroupRefusesTheResumeThatItsComponentWouldRefuse() {
        goesBack();
        given.request(new GroupRequest.Cancel());
        given.settle();
        given.components.set(
                1,
                new RolloutState.RollingBack(given.now)
                        .pause(PauseReason.RESTORED_UNHEALTHY, given.now));
        given.resumption =
                Optional.of(
                        new RequestDecision.Refused(
                                RefusalCode.ACKNOWLEDGE_FAILURES, "Acknowledge 2 nodes."));
        assertThat(given.request(new GroupRequest.Resume(0)))
                .isEqualTo(
                        new GroupRequestDecision.Refused(
                                RefusalCode.ACKNOWLEDGE_FAILURES, "Acknowledge 2 nodes."));
    }

    @Test
    @DisplayName(
            "A12, A18: what pauses below a cancelled group rests until a person resumes the group")
    void whatPausesBelowACancelledGroupRestsUntilItIsResumed() {
        goesBack();
        given.request(new GroupRequest.Cancel());
        given.settle();
        assertThat(given.request(new GroupRequest.Resume(0)))
                .as("nothing rests")
                .isEqualTo(
                        new GroupRequestDecision.Refused(
                                RefusalCode.TOO_LATE,
                                "The group is cancelling; it is too late for that."));
        given.components.set(
                1,
                new RolloutState.RollingBack(given.now)
                        .pause(PauseReason.NO_FLEET_VISIBILITY, given.now));
        given.settle();
        assertThat(given.components.get(1)).isInstanceOf(RolloutState.Paused.class);

        for (int again = 0; again < 2; again++) {
            given.request(new GroupRequest.Resume(0));
            given.settle();
            assertThat(given.components.get(1)).isInstanceOf(RolloutState.RollingBack.class);
            given.components.set(
                    1,
                    new RolloutState.RollingBack(given.now)
                            .pause(PauseReason.NO_FLEET_VISIBILITY, given.now));
        }
        given.rolledBack(1);
        given.settle();
        assertThat(given.status()).isEqualTo("cancelled");
    }
}
