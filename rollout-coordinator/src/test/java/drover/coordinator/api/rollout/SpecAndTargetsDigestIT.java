package drover.coordinator.api.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.api.ApiFixture;
import drover.model.Digest;
import drover.model.RefusalCode;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.StartRolloutResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpecAndTargetsDigestIT {
    @AutoClose private ApiFixture rig;

    @BeforeEach
    void open() {
        rig = new ApiFixture();
        rig.chain("demo", 4);
    }

    private String planned() {
        return rig.operator()
                .planRollout(
                        PlanRolloutRequest.newBuilder()
                                .setRollout(ApiFixture.byHand("demo"))
                                .build())
                .getPlan()
                .getPlanHash();
    }

    private String remaining(String id) {
        return rig.operator()
                .getRolloutPlan(GetRolloutPlanRequest.newBuilder().setRolloutId(id).build())
                .getPlan()
                .getPlanHash();
    }

    private StartRolloutResponse start(String id, String plan) {
        return rig.operator()
                .startRollout(
                        StartRolloutRequest.newBuilder()
                                .setRolloutId(id)
                                .setPlanHash(plan)
                                .build());
    }

    @Test
    void thePlanBeforeAndAfterTheCreationHaveOneHashAndMayBeStarted() {
        String hash = planned();
        String id = rig.create(ApiFixture.byHand("demo")).getId();
        assertThat(hash).startsWith("sha256:").isEqualTo(remaining(id));
        assertThat(start(id, hash).getRequest().getState())
                .as("written down; nobody leads here who could decide it")
                .isEqualTo(RequestState.REQUEST_STATE_PENDING);
    }

    @Test
    void aStartIsRefusedWithTheDifferenceWhenTheFleetHasMoved() {
        String hash = planned();
        String id = rig.create(ApiFixture.byHand("demo")).getId();
        rig.directory.disconnect(ApiFixture.id("demo", 3));
        assertThat(remaining(id)).isNotEqualTo(hash);
        ApiFixture.assertRefused(() -> start(id, hash), RefusalCode.PLAN_CHANGED, "plan_hash");
        assertThatThrownBy(() -> start(id, hash))
                .hasMessageContaining(
                        "node demo-00003 was to be in batch 2 and is left alone (OFFLINE) now");
        assertThat(rig.database.count("SELECT count(*) FROM operator_request"))
                .as("nothing half-done")
                .isZero();
    }

    @Test
    void aPlanOfSomethingElseIsRefused() {
        String id = rig.create(ApiFixture.byHand("demo")).getId();
        String other = Digest.of("another plan").value();
        ApiFixture.assertRefused(() -> start(id, other), RefusalCode.PLAN_CHANGED, "plan_hash");
        ApiFixture.assertRefused(() -> start(id, "x"), RefusalCode.INVALID_FIELD, "plan_hash");
    }

    @Test
    void plansToDifferentVersionsOverTheSameNodesHaveDifferentHashes() {
        String other =
                rig.operator()
                        .planRollout(
                                PlanRolloutRequest.newBuilder()
                                        .setRollout(
                                                ApiFixture.byHand("demo")
                                                        .setTargetVersion("v3")
                                                        .setTargetBinaryChecksum(
                                                                Digest.of("v3").value()))
                                        .build())
                        .getPlan()
                        .getPlanHash();
        assertThat(other).isNotEqualTo(planned());
        String id = rig.create(ApiFixture.byHand("demo")).getId();
        ApiFixture.assertRefused(() -> start(id, other), RefusalCode.PLAN_CHANGED, "plan_hash");
    }

    @Test
    void aHashFromAnEarlierVersionIsRefusedWithItsReason() {
        String id = rig.create(ApiFixture.byHand("demo")).getId();
        String plan = "tier 1\nbatch 0 plain demo-00001,demo-00002";
        rig.database.run("UPDATE rollout SET plan = ?", plan);
        String earlier = Digest.of(plan).value();
        ApiFixture.assertRefused(() -> start(id, earlier), RefusalCode.PLAN_CHANGED, "plan_hash");
        assertThatThrownBy(() -> start(id, earlier))
                .hasMessageContaining("does not cover artifacts, configurations and settings");
    }
}
