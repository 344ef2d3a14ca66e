package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

/** {@link GroupStoreContract} in memory. */
class InMemoryGroupsTest extends GroupStoreContract {
    private final InMemoryRolloutStore store = new InMemoryRolloutStore(() -> NOW);

    @Override
    GroupStore store() {
        return store.groups();
    }

    @Override
    LeaderStore leader() {
        return store;
    }

    @Override
    CreationStore creation() {
        return store;
    }
}
