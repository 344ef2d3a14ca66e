/**
 * Makes the plan happen: loops that load, observe, plan, commit and then act. Start with {@link
 * drover.coordinator.engine.RolloutLoop} (one tick of one rollout), then {@link
 * drover.coordinator.engine.LeaderTerm} (all that a leader runs). Decisions are not made here; they
 * are the pure room's.
 */
@NullMarked
package drover.coordinator.engine;

import org.jspecify.annotations.NullMarked;
