/**
 * Access to PostgreSQL: connections, the fence and JSON columns. Start with {@link
 * drover.coordinator.store.sql.Database}, then {@link drover.coordinator.store.sql.Fence} (who may
 * write) and {@link drover.coordinator.store.sql.StateJson} (stored names of types). The migrations
 * are in {@code db/coordinator}. Must not depend on another package of {@code store}, or on gRPC.
 */
@NullMarked
package drover.coordinator.store.sql;

import org.jspecify.annotations.NullMarked;
