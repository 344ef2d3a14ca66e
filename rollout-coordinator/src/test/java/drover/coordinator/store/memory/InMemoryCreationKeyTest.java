package drover.coordinator.store.memory;

import drover.coordinator.store.create.CreationKeyContract;
import drover.coordinator.store.create.CreationStore;
import drover.coordinator.store.rollout.StoredRollout;

class InMemoryCreationKeyTest extends CreationKeyContract {
    private final CreationStore store = new InMemoryRolloutStore(() -> StoredRollout.NOW);

    @Override
    public CreationStore store() {
        return store;
    }
}
