package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;

import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.incident.OperatorIncidentStore;
import drover.coordinator.store.incident.OperatorIncidentStoreContract;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;

/** {@link OperatorIncidentStoreContract} in memory. */
class InMemoryIncidentStoreTest extends OperatorIncidentStoreContract {
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> NOW);

    @Override
    public LeaderStore leader() {
        return store;
    }

    @Override
    public OperatorIncidentStore store() {
        return store.incidents();
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
