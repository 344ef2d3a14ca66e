/**
 * Explanations and forecasts for operators: reasons, remaining time, past states and the plan hash.
 * Start with {@link drover.coordinator.plan.explain.RolloutExplainer}, then {@link
 * drover.coordinator.plan.explain.HashedPlan}. A part of the pure package {@code plan}: no clocks,
 * threads, I/O or libraries. No decision depends on it.
 */
@NullMarked
package drover.coordinator.plan.explain;

import org.jspecify.annotations.NullMarked;
