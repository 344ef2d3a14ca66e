/**
 * Deletion of data that has exceeded its retention, under the fence. Start with {@link
 * drover.coordinator.store.retention.RetentionStore}. Which rollouts expire is decided in {@code
 * plan.RetentionRules}. Each transaction has a limit of rows.
 */
@NullMarked
package drover.coordinator.store.retention;

import org.jspecify.annotations.NullMarked;
