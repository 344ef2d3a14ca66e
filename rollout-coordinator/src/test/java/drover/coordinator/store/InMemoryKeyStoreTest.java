package drover.coordinator.store;

import java.time.Instant;

final class InMemoryKeyStoreTest extends KeyStoreContract {
    private final InMemoryKeyStore store =
            new InMemoryKeyStore(() -> Instant.parse("2026-01-31T12:00:00Z"));

    @Override
    KeyStore store() {
        return store;
    }
}
