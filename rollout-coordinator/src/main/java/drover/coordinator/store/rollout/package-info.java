/**
 * Rollouts and their history. Start with {@link drover.coordinator.store.rollout.RolloutViews}
 * (what operators read, on every replica), then {@link
 * drover.coordinator.store.rollout.HistoryEntry} and {@link
 * drover.coordinator.store.rollout.HistorySql}. Other packages of {@code store} use these
 * statements. Of {@code store}, this package depends only on {@code store.sql}.
 */
@NullMarked
package drover.coordinator.store.rollout;

import org.jspecify.annotations.NullMarked;
