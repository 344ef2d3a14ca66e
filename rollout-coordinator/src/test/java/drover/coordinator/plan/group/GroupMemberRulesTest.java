package drover.coordinator.plan.group;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.GroupId;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupMemberRulesTest {
    private static final RolloutSpec ALONE =
            SampleRollout.spec(
                    new SampleRollout.Plan(
                            "demo",
                            1,
                            new Strategy.Rolling(1),
                            new Threshold.Count(0),
                            0,
                            MigrationType.NONE,
                            7));
    private static final RolloutSpec COMPONENT = ALONE.asComponentOf("g-1", 0);
    private static final NodeId NODE = new NodeId("n-1");

    private static final List<OperatorRequest> COURSE =
            List.of(
                    new OperatorRequest.Start(),
                    new OperatorRequest.Resume(1),
                    new OperatorRequest.Cancel(),
                    new OperatorRequest.Rollback());

    private static final List<OperatorRequest> OTHERS =
            List.of(
                    new OperatorRequest.Pause(),
                    new OperatorRequest.Approve(""),
                    new OperatorRequest.Force(),
                    new OperatorRequest.RetryNode(NODE),
                    new OperatorRequest.SkipNode(NODE),
                    new OperatorRequest.SkipNodes(List.of()));

    @Test
    void theCourseOfAComponentIsTheGroupsToSteer() {
        assertThat(COURSE)
                .allSatisfy(
                        request -> {
                            var refused =
                                    DirectComponentRequestRules.findRefusal(
                                                    COMPONENT, request, "alice")
                                            .orElseThrow();
                            assertThat(refused.code()).isEqualTo(RefusalCode.IN_GROUP);
                            assertThat(refused.sentence()).contains("drover group", "g-1");
                        });
    }

    @Test
    void acceptsRequestsOfItsOwnGroupOnly() {
        String own = RequestToComponent.groupActor(new GroupId("g-1"));
        String other = RequestToComponent.groupActor(new GroupId("g-2"));
        assertThat(COURSE)
                .allMatch(
                        request ->
                                DirectComponentRequestRules.findRefusal(COMPONENT, request, own)
                                        .isEmpty())
                .noneMatch(
                        request ->
                                DirectComponentRequestRules.findRefusal(COMPONENT, request, other)
                                        .isEmpty());
    }

    @Test
    void nodesCanaryAndThresholdAreStillAPersonsToDecide() {
        assertThat(OTHERS)
                .allMatch(
                        request ->
                                DirectComponentRequestRules.findRefusal(COMPONENT, request, "alice")
                                        .isEmpty());
    }

    @Test
    void aRolloutThatIsStandaloneIsNobodysComponent() {
        assertThat(COURSE)
                .allMatch(
                        request ->
                                DirectComponentRequestRules.findRefusal(ALONE, request, "alice")
                                        .isEmpty());
    }
}
