/**
 * Queries that serve one reader each: plans, metrics and what waits for operators. Start with
 * {@link drover.coordinator.store.query.PreviewInputViews}. Only reads: nothing here may write.
 */
@NullMarked
package drover.coordinator.store.query;

import org.jspecify.annotations.NullMarked;
