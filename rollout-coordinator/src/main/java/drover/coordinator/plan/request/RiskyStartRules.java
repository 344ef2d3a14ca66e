package drover.coordinator.plan.request;

import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Strategy;
import drover.model.MigrationType;

/** Decides which starts nobody makes without saying why (invariant A16). */
public final class RiskyStartRules {
    private RiskyStartRules() {}

    /**
     * What about a rollout asks for a reason text, as the end of a sentence; empty when nothing
     * does.
     *
     * @param targets all of its nodes
     */
    public static String startRiskPhrase(RolloutSpec spec, int targets) {
        if (spec.strategy().skipsValidation()) {
            return "it does not wait for health";
        }
        if (spec.strategy().ignoresFailures()) {
            return "it goes on whatever fails";
        }
        if (spec.strategy() instanceof Strategy.AllAtOnce) {
            return "it upgrades all of its nodes at once";
        }
        if (spec.migration() == MigrationType.BREAKING) {
            return "its migration is breaking";
        }
        return TwoPersonRule.secondPersonReason(spec, targets).isEmpty()
                ? ""
                : "it upgrades a large share of its chain before the target is proven";
    }
}
