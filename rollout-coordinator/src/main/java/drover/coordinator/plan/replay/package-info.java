/**
 * Replay of recorded decisions: the same inputs must lead to the same transitions (invariant A20).
 * Start with {@link drover.coordinator.plan.replay.DecisionReplay}, then {@link
 * drover.coordinator.plan.replay.RecordedDecisionInput}, whose components are stored and must not
 * change. Uses the planner; the planner must not depend on it.
 */
@NullMarked
package drover.coordinator.plan.replay;

import org.jspecify.annotations.NullMarked;
