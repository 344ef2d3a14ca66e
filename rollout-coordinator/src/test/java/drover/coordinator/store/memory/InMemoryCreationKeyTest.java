package drover.coordinator.store.memory;

import drover.coordinator.store.create.CreationKeyContract;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.rollout.StoredRollout;

class InMemoryCreationKeyTest extends CreationKeyContract {
    private final RolloutCreationStore store =
            new InMemoryCoordinatorStore(() -> StoredRollout.NOW);

    @Override
    public RolloutCreationStore store() {
        return store;
    }
}
