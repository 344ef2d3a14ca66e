/**
 * The pure room of metrics: what a rollout shows at this moment, and what its moves have ended and
 * how long that took. Start with {@link drover.coordinator.measure.WorkTimes}. No clock, no
 * database, no metrics library: the same moves give the same figures.
 */
@NullMarked
package drover.coordinator.measure;

import org.jspecify.annotations.NullMarked;
