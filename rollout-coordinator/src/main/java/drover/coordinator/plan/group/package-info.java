/**
 * What a rollout group does next: several programs of one chain, one after the other. Start with
 * {@link drover.coordinator.plan.group.GroupState} (the type is the transition table), then {@link
 * drover.coordinator.plan.group.GroupPlanner}, which decides, and {@link
 * drover.coordinator.plan.group.GroupRequestRules}, which decides what becomes of an operator's
 * request. A group touches its components only by asking, as any operator does. A part of the pure
 * room: no clocks, threads, I/O or libraries.
 */
@NullMarked
package drover.coordinator.plan.group;

import org.jspecify.annotations.NullMarked;
