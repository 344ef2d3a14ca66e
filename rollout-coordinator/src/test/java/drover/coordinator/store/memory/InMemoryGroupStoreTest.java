package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;

import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.group.GroupStore;
import drover.coordinator.store.group.GroupStoreContract;
import drover.coordinator.store.leader.LeaderStore;

/** {@link GroupStoreContract} in memory. */
class InMemoryGroupStoreTest extends GroupStoreContract {
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> NOW);

    @Override
    public GroupStore store() {
        return store.groups();
    }

    @Override
    public LeaderStore leader() {
        return store;
    }

    @Override
    public RolloutCreationStore creation() {
        return store;
    }
}
