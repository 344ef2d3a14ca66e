/**
 * The result of one decision: the next rollout, its transitions, new attempts and effects. Start
 * with {@link drover.coordinator.plan.step.Step}; {@link drover.coordinator.plan.step.StepDraft}
 * collects the changes while the planner works. A part of the pure package {@code plan}. Must not
 * depend on the rules that use it ({@code plan.batch}, {@code plan.health}).
 */
@NullMarked
package drover.coordinator.plan.step;

import org.jspecify.annotations.NullMarked;
