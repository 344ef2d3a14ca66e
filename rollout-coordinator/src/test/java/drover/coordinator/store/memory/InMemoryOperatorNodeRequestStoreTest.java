package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;

import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.node.OperatorNodeRequestStoreContract;

/** {@link OperatorNodeRequestStoreContract} in memory. */
class InMemoryOperatorNodeRequestStoreTest extends OperatorNodeRequestStoreContract {
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
