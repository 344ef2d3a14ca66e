package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

/** {@link KeptForGoodContract} in memory. */
class InMemoryKeptForGoodTest extends KeptForGoodContract {
    private final InMemoryRolloutStore store = new InMemoryRolloutStore(() -> NOW);

    @Override
    LeaderStore leader() {
        return store;
    }

    @Override
    CreationStore creation() {
        return store;
    }

    @Override
    NodeRequestStore nodeRequests() {
        return store.nodeRequestStore();
    }
}
