package drover.coordinator.plan.group;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GroupExplainerTest {
    private final GivenGroup given = GivenGroup.at(1, GroupFailurePolicy.MANUAL);

    @Test
    @DisplayName("The sentence of a failed component names the commands that continue the group")
    void namesTheCommandsAfterAFailedComponent() {
        endComponent();

        assertThat(sentence())
                .isEqualTo(
                        "Component 2 (program-2) failed: read 'drover rollout why r-2'. Resume the"
                                + " group (drover group resume g-1), continue without the component"
                                + " (drover group skip g-1), or roll the group back (drover group"
                                + " rollback g-1). A component that has ended cannot be resumed.");
    }

    @Test
    void namesTheSameCommandsAfterAPausedComponent() {
        given.components.set(
                1, new RolloutState.Running(given.now).pause(PauseReason.NODES_OFFLINE, given.now));
        given.settle();

        assertThat(sentence())
                .startsWith("Component 2 (program-2) paused: read 'drover rollout why r-2'.")
                .contains("drover group resume g-1", "drover group skip g-1");
    }

    @Test
    void namesHowToContinueARollback() {
        given.in(
                new GroupState.RollingBack(GivenGroup.START)
                        .pause(GroupPauseReason.COMPONENT_PAUSED, GivenGroup.START));

        assertThat(sentence())
                .contains("Resume the group (drover group resume g-1).")
                .doesNotContain("skip");
    }

    @Test
    void refusesToResumeAnEndedComponentAndNamesSkip() {
        endComponent();

        assertThat(given.request(new GroupRequest.Resume(0)))
                .isInstanceOfSatisfying(
                        GroupRequestDecision.Refused.class,
                        refused ->
                                assertThat(refused.sentence())
                                        .isEqualTo(
                                                "Component 2 (program-2) has ended and cannot be"
                                                        + " resumed: continue without it (drover"
                                                        + " group skip g-1), or roll the group"
                                                        + " back."));
    }

    private void endComponent() {
        given.components.set(
                1,
                new RolloutState.Running(given.now)
                        .fail(RolloutFailureReason.ALL_NODES_SKIPPED, given.now));
        given.settle();
    }

    private String sentence() {
        return GroupExplainer.explain(given.group).sentence();
    }
}
