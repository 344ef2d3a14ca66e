/**
 * Decisions on preflights: whether an agent is asked to check, and the results per node. Start with
 * {@link drover.coordinator.plan.preflight.PreflightRules}. A part of the pure package {@code
 * plan}: no clocks, threads, I/O or libraries. No other decision depends on the result of a
 * preflight.
 */
@NullMarked
package drover.coordinator.plan.preflight;

import org.jspecify.annotations.NullMarked;
