package drover.coordinator.store;

class InMemoryCreationKeyTest extends CreationKeyContract {
    private final CreationStore store = new InMemoryRolloutStore(() -> StoredRollout.NOW);

    @Override
    CreationStore store() {
        return store;
    }
}
