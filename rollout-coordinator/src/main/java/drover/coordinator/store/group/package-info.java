/**
 * Rollout groups. Start with {@link drover.coordinator.store.group.LeaderGroupStore} (what the
 * leader loads and commits, under the fence), then {@link
 * drover.coordinator.store.group.GroupStore} and {@link drover.coordinator.store.group.GroupViews}
 * (every replica). Depends on the pure packages and Jdbi, and must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.group;

import org.jspecify.annotations.NullMarked;
