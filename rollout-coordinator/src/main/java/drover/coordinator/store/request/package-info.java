/**
 * Requests of operators to rollouts: every replica writes them, and the loop of the rollout decides
 * them (R4). Start with {@link drover.coordinator.store.request.RolloutRequestStore}; {@link
 * drover.coordinator.store.request.RequestNotificationReader} only wakes loops and carries no
 * input. Must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.request;

import org.jspecify.annotations.NullMarked;
