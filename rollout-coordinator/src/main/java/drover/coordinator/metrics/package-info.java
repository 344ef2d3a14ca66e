/**
 * Pure package of metrics: the current figures of a rollout, and the duration of the work that its
 * transitions ended. Start with {@link drover.coordinator.metrics.RolloutAndNodeDurationTracker}.
 * No clock, database or metrics library: the same transitions give the same figures. Of the
 * coordinator, it depends only on {@code plan.model}.
 */
@NullMarked
package drover.coordinator.metrics;

import org.jspecify.annotations.NullMarked;
