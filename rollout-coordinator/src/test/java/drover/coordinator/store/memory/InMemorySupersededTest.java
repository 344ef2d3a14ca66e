package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;

import drover.coordinator.store.commit.SupersededContract;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;

/** {@link SupersededContract} in memory. */
class InMemorySupersededTest extends SupersededContract {
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> NOW);

    @Override
    public LeaderStore leader() {
        return store;
    }

    @Override
    public RolloutCreationStore creation() {
        return store;
    }

    @Override
    public OperatorNodeRequestStore nodeRequests() {
        return store.nodeRequestStore();
    }
}
