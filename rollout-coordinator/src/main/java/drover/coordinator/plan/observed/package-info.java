/**
 * The observed fleet, as input of decisions: node views, statuses, verdicts and timings. Start with
 * {@link drover.coordinator.plan.observed.FleetView}. Record components are stored with recorded
 * decisions and must not change. Depends on no other package of {@code plan}.
 */
@NullMarked
package drover.coordinator.plan.observed;

import org.jspecify.annotations.NullMarked;
