package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

/** {@link LastProvenContract} in memory. */
class InMemoryLastProvenTest extends LastProvenContract {
    private final InMemoryRolloutStore store = new InMemoryRolloutStore(() -> NOW);

    @Override
    LeaderStore leader() {
        return store;
    }

    @Override
    CreationStore creation() {
        return store;
    }
}
