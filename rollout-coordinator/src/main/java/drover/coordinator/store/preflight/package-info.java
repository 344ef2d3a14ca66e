/**
 * Preflights. Start with {@link drover.coordinator.store.preflight.PreflightStore} (operators, on
 * every replica), then {@link drover.coordinator.store.preflight.LeaderPreflightStore} (the leader,
 * under the fence). Depends on the pure packages and Jdbi, and must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.preflight;

import org.jspecify.annotations.NullMarked;
