package drover.coordinator.store.memory;

import drover.coordinator.store.access.ApiKeyStore;
import drover.coordinator.store.access.ApiKeyStoreContract;
import java.time.Instant;

final class InMemoryApiKeyStoreTest extends ApiKeyStoreContract {
    private final InMemoryApiKeyStore store =
            new InMemoryApiKeyStore(() -> Instant.parse("2026-01-31T12:00:00Z"));

    @Override
    public ApiKeyStore store() {
        return store;
    }
}
