/** Tests of forecasts, plan outlines and plan hashes. */
@NullMarked
package drover.coordinator.plan.explain;

import org.jspecify.annotations.NullMarked;
