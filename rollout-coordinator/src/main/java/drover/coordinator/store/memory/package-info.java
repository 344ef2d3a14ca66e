/**
 * Stores in memory, for tests and the simulation. Start with {@link
 * drover.coordinator.store.memory.InMemoryCoordinatorStore}, which has the same fence and refusals
 * as PostgreSQL; shared contract tests compare both. {@link
 * drover.coordinator.store.memory.FaultyLeaderStore} adds failures. No SQL, and the services must
 * not use it.
 */
@NullMarked
package drover.coordinator.store.memory;

import org.jspecify.annotations.NullMarked;
