/**
 * Decisions on requests of operators, for every state of a rollout. Start with {@link
 * drover.coordinator.plan.request.OperatorRequestRules} (the table of states and requests), then
 * {@link drover.coordinator.plan.request.TwoPersonRule}. A part of the pure package {@code plan}:
 * no clocks, threads, I/O or libraries. Must not depend on {@code plan.group}, whose requests use
 * it.
 */
@NullMarked
package drover.coordinator.plan.request;

import org.jspecify.annotations.NullMarked;
