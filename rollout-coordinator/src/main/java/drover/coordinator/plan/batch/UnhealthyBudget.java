package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.step.TargetHealthConcerns;
import drover.coordinator.plan.step.TargetHealthConcerns.Concern;
import drover.coordinator.plan.step.TargetHealthConcerns.Kind;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Unhealthy budget: how many targets may be unhealthy that a rollout did not modify (A24: a rollout
 * starts and continues only while they stay within it). Pure.
 */
public final class UnhealthyBudget {
    private static final int MAX_NAMED = 5; // nodes in one sentence

    private UnhealthyBudget() {}

    /** Targets that are unhealthy although the rollout did not modify them. */
    public static List<Concern> findUnhealthyUnmodified(Rollout rollout, FleetView fleet) {
        return TargetHealthConcerns.of(rollout, fleet).concernsOfKinds(Kind.UNHEALTHY);
    }

    /** Why a rollout cannot start; empty while the budget holds. */
    public static Optional<Cause> findExceededCause(Rollout rollout, FleetView fleet) {
        List<Concern> unhealthy = findUnhealthyUnmodified(rollout, fleet);
        int budget = rollout.spec().conduct().unhealthyBudget();
        return unhealthy.size() > budget
                ? Optional.of(exceededCause(unhealthy, budget))
                : Optional.empty();
    }

    public static Cause exceededCause(List<Concern> unhealthy, int budget) {
        return new Cause(
                PauseReason.TARGETS_UNHEALTHY.name(),
                (unhealthy.size() == 1 ? "1 target is" : unhealthy.size() + " targets are")
                        + " unhealthy, more than the unhealthy budget of "
                        + budget
                        + ": "
                        + describeConcerns(unhealthy)
                        + " Repair or exclude them, or allow them with a higher unhealthy budget.");
    }

    static String describeConcerns(List<Concern> unhealthy) {
        String first =
                unhealthy.stream()
                        .limit(MAX_NAMED)
                        .map(Concern::sentence)
                        .collect(Collectors.joining(" "));
        int more = unhealthy.size() - MAX_NAMED;
        return more > 0 ? first + " And " + more + " more." : first;
    }
}
