package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

/** {@link SupersededContract} in memory. */
class InMemorySupersededTest extends SupersededContract {
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
