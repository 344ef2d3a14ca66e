package drover.coordinator.store;

import static drover.coordinator.store.StoredRollout.NOW;

import java.util.concurrent.atomic.AtomicInteger;

/** {@link LastProvenContract} in memory. */
class InMemoryLastProvenTest extends LastProvenContract {
    private final AtomicInteger seconds = new AtomicInteger();
    private final InMemoryRolloutStore store =
            new InMemoryRolloutStore(() -> NOW.plusSeconds(seconds.getAndIncrement()));

    @Override
    LeaderStore leader() {
        return store;
    }

    @Override
    CreationStore creation() {
        return store;
    }
}
