/**
 * The rollout-coordinator: who is upgraded when, and why. {@link
 * drover.coordinator.RolloutCoordinator} is the assembled service. Start reading in {@code plan},
 * the pure room; {@code engine} makes it happen.
 */
@NullMarked
package drover.coordinator;

import org.jspecify.annotations.NullMarked;
