/**
 * The loop of one rollout: load, observe, plan, commit, run effects. Start with {@link
 * drover.coordinator.engine.rollout.RolloutLoop} (one tick), then {@link
 * drover.coordinator.engine.rollout.HistoryAndAttemptsBuilder} (what a step writes) and {@link
 * drover.coordinator.engine.rollout.EffectRunner} (what it sends). The decisions are in {@code
 * plan}. Must not depend on {@code engine.leader}, which runs the loops.
 */
@NullMarked
package drover.coordinator.engine.rollout;

import org.jspecify.annotations.NullMarked;
