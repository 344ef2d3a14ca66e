package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;

import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.NodeRequestStoreContract;
import drover.coordinator.store.node.OperatorNodeRequestStore;

/** {@link NodeRequestStoreContract} in memory. */
class InMemoryNodeRequestStoreTest extends NodeRequestStoreContract {
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> NOW);

    @Override
    public LeaderStore leader() {
        return store;
    }

    @Override
    public OperatorNodeRequestStore requests() {
        return store.nodeRequestStore();
    }
}
