package drover.evaluator.assess;

import drover.model.NodeId;
import java.util.List;

/**
 * A node that was asked for in words by which it cannot be judged: the watch is incomplete, or a
 * later version's. There is no data of it as long as nobody asks in others, whatever it says of
 * itself; what was asked of it before does not count any more (invariant F3).
 *
 * @param attempt that was asked for; 0 when none was
 * @param why for a person
 */
public record NodeWithInvalidWatch(NodeId node, long attempt, String why)
        implements HealthWatchSpec {
    @Override
    public boolean sharesHistoryWith(HealthWatchSpec other) {
        return false;
    }

    /** No data, and why. */
    Verdict verdict() {
        return new Verdict.NoData(List.of(new HealthFinding(HealthFindingCode.WATCH_REFUSED, why)));
    }
}
