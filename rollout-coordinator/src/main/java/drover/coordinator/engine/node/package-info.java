/**
 * Loops for what is not part of a running rollout: late statuses, incidents, requests about nodes
 * and preflights. Start with {@link drover.coordinator.engine.node.OrphanedAttemptLoop}, then
 * {@link drover.coordinator.engine.node.IncidentReconciler}. Must not depend on {@code
 * engine.leader}.
 */
@NullMarked
package drover.coordinator.engine.node;

import org.jspecify.annotations.NullMarked;
