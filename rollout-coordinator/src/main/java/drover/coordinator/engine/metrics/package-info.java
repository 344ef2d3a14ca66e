/**
 * Metrics of rollouts and of what waits for operators. Start with {@link
 * drover.coordinator.engine.metrics.CoordinatorMetrics}, which counts commits. The figures are
 * decided in {@code metrics}. A metric must never delay a loop: loops report only to {@link
 * drover.coordinator.engine.loop.LoopMeter}.
 */
@NullMarked
package drover.coordinator.engine.metrics;

import org.jspecify.annotations.NullMarked;
