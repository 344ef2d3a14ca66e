/**
 * Decisions on batches: their planning, dispatch, gates, approvals and rollback. Start with {@link
 * drover.coordinator.plan.batch.BatchAdvancer}, which moves a rollout through its batches, then
 * {@link drover.coordinator.plan.batch.DispatchPlanner}. A part of the pure package {@code plan}:
 * no clocks, threads, I/O or libraries.
 */
@NullMarked
package drover.coordinator.plan.batch;

import org.jspecify.annotations.NullMarked;
