package drover.evaluator.assess;

import drover.model.NodeId;
import java.time.Duration;

/**
 * A node whose every program shall be judged as it is now, whatever attempt started it: the gate
 * between the components of a rollout group.
 *
 * @param hold how long each must have been up and well without a break
 */
public record AllProgramsWatchSpec(NodeId node, Duration hold, HealthThresholds policy)
        implements HealthWatchSpec {
    @Override
    public long attempt() {
        return 0;
    }

    /** Asked again is asked anew: only what comes afterwards counts. */
    @Override
    public boolean sharesHistoryWith(HealthWatchSpec other) {
        return false;
    }
}
