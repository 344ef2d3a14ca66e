/**
 * gRPC services for rollouts and manifests. Start with {@link
 * drover.coordinator.api.rollout.RolloutGrpcService} (requests), then {@link
 * drover.coordinator.api.rollout.RolloutQueries} (reads and reasons). The {@code *Protos} convert
 * between records and messages. The package makes no decisions, contains no SQL and reads stores
 * only through their {@code *Views}.
 */
@NullMarked
package drover.coordinator.api.rollout;

import org.jspecify.annotations.NullMarked;
