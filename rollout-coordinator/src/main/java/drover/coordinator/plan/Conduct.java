package drover.coordinator.plan;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a rollout behaves beyond its strategy: when nodes fail or are unhealthy, and its deadline.
 *
 * @param finishBy when it must have ended, as for a hard fork; null without a deadline
 * @param expected failures that do not count
 * @param rollbackHealth health gate of a rollback, unless the request for it says otherwise
 * @param unhealthyBudget targets that may be unhealthy although the rollout did not modify them
 */
public record Conduct(
        OnFailure onFailure,
        @Nullable Instant finishBy,
        ExpectedFailures expected,
        RollbackHealth rollbackHealth,
        int unhealthyBudget) {
    /** Defaults. */
    public static final Conduct STANDARD =
            new Conduct(OnFailure.PAUSE, null, ExpectedFailures.NONE, RollbackHealth.WAIT, 0);

    public Conduct {
        // Rollouts that earlier versions created lack it.
        rollbackHealth = rollbackHealth == null ? RollbackHealth.WAIT : rollbackHealth;
    }

    /** Whether failures beyond what is tolerated bring everything back. */
    boolean rollsBack() {
        return onFailure == OnFailure.ROLLBACK;
    }

    /** The same with these failures expected. */
    public Conduct expecting(ExpectedFailures failures) {
        return new Conduct(onFailure, finishBy, failures, rollbackHealth, unhealthyBudget);
    }

    /** The same with another health gate for rollbacks. */
    public Conduct rollingBackWith(RollbackHealth health) {
        return new Conduct(onFailure, finishBy, expected, health, unhealthyBudget);
    }

    /** The same with another budget for unhealthy targets. */
    public Conduct toleratingUnhealthy(int targets) {
        return new Conduct(onFailure, finishBy, expected, rollbackHealth, targets);
    }
}
