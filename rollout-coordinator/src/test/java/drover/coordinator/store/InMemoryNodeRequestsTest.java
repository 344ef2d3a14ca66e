package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

/** {@link NodeRequestContract} in memory. */
class InMemoryNodeRequestsTest extends NodeRequestContract {
    private final InMemoryRolloutStore store = new InMemoryRolloutStore(() -> NOW);

    @Override
    LeaderStore leader() {
        return store;
    }

    @Override
    NodeRequestStore requests() {
        return store.nodeRequestStore();
    }
}
