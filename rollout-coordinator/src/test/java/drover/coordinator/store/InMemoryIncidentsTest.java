package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

/** {@link IncidentContract} in memory. */
class InMemoryIncidentsTest extends IncidentContract {
    private final InMemoryRolloutStore store = new InMemoryRolloutStore(() -> NOW);

    @Override
    LeaderStore leader() {
        return store;
    }

    @Override
    IncidentStore store() {
        return store.incidents();
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
