/**
 * The rollout as it is stored: states, batches, nodes and the frozen specification. Start with
 * {@link drover.coordinator.plan.model.RolloutState} and {@link
 * drover.coordinator.plan.model.NodeState} (the types are the transition tables), then {@link
 * drover.coordinator.plan.model.Rollout}. Names of states and record components are stored as JSON
 * and must not change. Of {@code plan} it depends only on {@code plan.observed}.
 */
@NullMarked
package drover.coordinator.plan.model;

import org.jspecify.annotations.NullMarked;
