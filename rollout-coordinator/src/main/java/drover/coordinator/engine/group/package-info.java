/**
 * Creation, requests and the loop of rollout groups. Start with {@link
 * drover.coordinator.engine.group.GroupLoop}: it loads, decides and commits as a part of the
 * leader's round. The decisions are in {@code plan.group}. A group changes its components only by
 * requests (R4), so nothing here writes rows of a rollout after its creation.
 */
@NullMarked
package drover.coordinator.engine.group;

import org.jspecify.annotations.NullMarked;
