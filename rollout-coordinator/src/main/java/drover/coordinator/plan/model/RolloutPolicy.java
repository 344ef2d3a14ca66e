package drover.coordinator.plan.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a rollout behaves beyond its strategy: when nodes fail or are unhealthy, and its deadline.
 *
 * @param finishBy when it must have ended, as for a hard fork; null without a deadline
 * @param expected failures that do not count
 * @param rollbackHealth health gate of a rollback, unless the request for it says otherwise
 * @param unhealthyBudget targets that may be unhealthy although the rollout did not modify them
 * @param order order of its nodes
 */
public record RolloutPolicy(
        FailureAction onFailure,
        @Nullable Instant finishBy,
        ExpectedFailureReasons expected,
        RollbackHealthPolicy rollbackHealth,
        int unhealthyBudget,
        NodeOrder order) {
    /** Defaults. */
    public static final RolloutPolicy DEFAULT =
            new RolloutPolicy(
                    FailureAction.PAUSE,
                    null,
                    ExpectedFailureReasons.NONE,
                    RollbackHealthPolicy.WAIT,
                    0,
                    NodeOrder.DEFAULT);

    public RolloutPolicy {
        // Rollouts that earlier versions created lack both.
        rollbackHealth = rollbackHealth == null ? RollbackHealthPolicy.WAIT : rollbackHealth;
        order = order == null ? NodeOrder.DEFAULT : order;
    }

    /** Whether failures beyond what is tolerated bring everything back. */
    public boolean rollsBackOnFailure() {
        return onFailure == FailureAction.ROLLBACK;
    }

    /** The same with these failures expected. */
    public RolloutPolicy withExpected(ExpectedFailureReasons failures) {
        return new RolloutPolicy(
                onFailure, finishBy, failures, rollbackHealth, unhealthyBudget, order);
    }

    /** The same with another health gate for rollbacks. */
    public RolloutPolicy withRollbackHealth(RollbackHealthPolicy health) {
        return new RolloutPolicy(onFailure, finishBy, expected, health, unhealthyBudget, order);
    }

    /** The same with another budget for unhealthy targets. */
    public RolloutPolicy withUnhealthyBudget(int targets) {
        return new RolloutPolicy(onFailure, finishBy, expected, rollbackHealth, targets, order);
    }

    /** This policy with another order of nodes. */
    public RolloutPolicy withOrder(NodeOrder nodes) {
        return new RolloutPolicy(
                onFailure, finishBy, expected, rollbackHealth, unhealthyBudget, nodes);
    }
}
