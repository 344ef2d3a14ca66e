/**
 * Who is upgraded when, and why: the pure room of the coordinator. Start with {@link
 * drover.coordinator.plan.model.RolloutState} and {@link drover.coordinator.plan.model.NodeState}
 * (the types are the transition tables), then {@link drover.coordinator.plan.RolloutPlanner}, which
 * decides what a rollout does next, and {@link
 * drover.coordinator.plan.request.OperatorRequestRules}, which decides what becomes of a request.
 * No clocks, threads, I/O or libraries: the same arguments always give the same decision (invariant
 * A20).
 */
@NullMarked
package drover.coordinator.plan;

import org.jspecify.annotations.NullMarked;
