/**
 * gRPC service for rollout groups. Start with {@link
 * drover.coordinator.api.group.RolloutGroupGrpcService} (requests), then {@link
 * drover.coordinator.api.group.GroupQueries} (reads and reasons). {@link
 * drover.coordinator.api.group.GroupProtos} converts groups to messages. The package makes no
 * decisions, contains no SQL and reads stores only through their {@code *Views}.
 */
@NullMarked
package drover.coordinator.api.group;

import org.jspecify.annotations.NullMarked;
