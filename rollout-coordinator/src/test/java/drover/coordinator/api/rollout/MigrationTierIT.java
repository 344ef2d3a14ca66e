package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.byManifest;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.api.ApiFixture;
import drover.model.MigrationType;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.Strategy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rollback tiers 1 and 2 in a plan. */
class MigrationTierIT {
    @AutoClose private final ApiFixture rig = new ApiFixture();

    private RolloutPlan plan(CreateRolloutRequest.Builder request) {
        return rig.operator()
                .planRollout(PlanRolloutRequest.newBuilder().setRollout(request).build())
                .getPlan();
    }

    @Test
    @DisplayName("S0-127 S0-128 S0-156: tiers 1 and 2, and a canary is recommended for tier 2")
    void aCompatibleMigrationShowsItsTierAndRecommendsACanary() {
        rig.chain("tiers", 3);
        rig.manifest("tiers", "plain", MigrationType.NONE);
        rig.manifest("tiers", "same", MigrationType.COMPATIBLE);

        RolloutPlan plain = plan(byManifest("tiers", "plain"));
        RolloutPlan rolling = plan(byManifest("tiers", "same"));
        RolloutPlan canary =
                plan(byManifest("tiers", "same").setStrategy(Strategy.STRATEGY_CANARY));

        assertThat(plain.getRollout().getRollbackTier())
                .isEqualTo(RollbackTier.ROLLBACK_TIER_TIER_1);
        assertThat(rolling.getRollout().getRollbackTier())
                .isEqualTo(RollbackTier.ROLLBACK_TIER_TIER_2);
        assertThat(plain.getWarningsList()).isEmpty();
        assertThat(rolling.getWarningsList())
                .extracting(PlanWarning::getCode)
                .containsExactly("CANARY_RECOMMENDED");
        assertThat(canary.getWarningsList()).isEmpty();
    }
}
