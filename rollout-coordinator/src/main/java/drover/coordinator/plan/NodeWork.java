package drover.coordinator.plan;

import java.time.Duration;
import java.util.List;

/**
 * How long an agent's work on one node takes, from its assignment until the target runs.
 *
 * @param measuredFrom how many measured upgrades it is the median of; 0 when it is the default
 */
public record NodeWork(Duration typical, int measuredFrom) {
    /** Without a measurement: all a download and a restart usually take, and some patience. */
    public static final NodeWork UNMEASURED = new NodeWork(Duration.ofMinutes(1), 0);

    /** The median of what was measured, the default when nothing was. */
    public static NodeWork of(List<Duration> measured) {
        return measured.isEmpty()
                ? UNMEASURED
                : new NodeWork(
                        measured.stream().sorted().toList().get((measured.size() - 1) / 2),
                        measured.size());
    }
}
