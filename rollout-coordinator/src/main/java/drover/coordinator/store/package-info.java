/**
 * The coordinator's truth in PostgreSQL. Start with {@link drover.coordinator.store.LeaderStore}
 * (what the leader loads and commits, under the fence), then {@link
 * drover.coordinator.store.RolloutViews} (what people read) and the migrations in {@code
 * db/coordinator}. Knows the pure room and Jdbi, nothing of gRPC.
 */
@NullMarked
package drover.coordinator.store;

import org.jspecify.annotations.NullMarked;
