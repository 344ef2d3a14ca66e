/**
 * Creation of rollouts: resolves a request from its manifest, selects the targets, freezes what is
 * installed and claims the chain. Start with {@link
 * drover.coordinator.engine.create.RolloutCreator}; {@link
 * drover.coordinator.engine.create.RolloutPreviewer} runs the same steps and writes nothing. Every
 * replica creates rollouts, so nothing here depends on the leader.
 */
@NullMarked
package drover.coordinator.engine.create;

import org.jspecify.annotations.NullMarked;
