package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;

import drover.coordinator.store.create.LastVerifiedContract;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import java.util.concurrent.atomic.AtomicInteger;

/** {@link LastVerifiedContract} in memory. */
class InMemoryLastVerifiedTest extends LastVerifiedContract {
    private final AtomicInteger seconds = new AtomicInteger();
    private final InMemoryCoordinatorStore store =
            new InMemoryCoordinatorStore(() -> NOW.plusSeconds(seconds.getAndIncrement()));

    @Override
    public LeaderStore leader() {
        return store;
    }

    @Override
    public RolloutCreationStore creation() {
        return store;
    }
}
