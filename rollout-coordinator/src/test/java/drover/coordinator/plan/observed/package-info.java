/** Tests of the timings that a rollout uses. */
@NullMarked
package drover.coordinator.plan.observed;

import org.jspecify.annotations.NullMarked;
