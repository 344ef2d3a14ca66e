/**
 * Checks of a stored history for tests and the simulation. Start with {@link
 * drover.coordinator.store.check.HistoryInvariants} (the history alone), then {@link
 * drover.coordinator.store.check.ObservationChecker} (the history and what clients and nodes
 * observed). Must not depend on the planner that it checks.
 */
@NullMarked
package drover.coordinator.store.check;

import org.jspecify.annotations.NullMarked;
