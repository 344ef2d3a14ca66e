/**
 * What the leader loads and commits, under the fence. Start with {@link
 * drover.coordinator.store.leader.LeaderStore}; {@link
 * drover.coordinator.store.leader.EndedRolloutStatusSql} stores statuses that arrive after their
 * rollout ended. Depends on the pure packages and Jdbi, and must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.leader;

import org.jspecify.annotations.NullMarked;
