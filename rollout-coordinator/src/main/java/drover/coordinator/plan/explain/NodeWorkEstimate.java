package drover.coordinator.plan.explain;

import java.time.Duration;
import java.util.List;

/**
 * How long an agent's work on one node takes, from its assignment until the target runs.
 *
 * @param measuredFrom how many measured upgrades it is the median of; 0 when it is the default
 */
public record NodeWorkEstimate(Duration typical, int measuredFrom) {
    /** Without a measurement: all a download and a restart usually take, and some patience. */
    public static final NodeWorkEstimate UNMEASURED =
            new NodeWorkEstimate(Duration.ofMinutes(1), 0);

    /** The median of what was measured, the default when nothing was. */
    public static NodeWorkEstimate of(List<Duration> measured) {
        return measured.isEmpty()
                ? UNMEASURED
                : new NodeWorkEstimate(
                        measured.stream().sorted().toList().get((measured.size() - 1) / 2),
                        measured.size());
    }
}
