package drover.gateway.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

class InMemoryCredentialStoreTest extends RevocationContract {
    private Duration passed = Duration.ZERO;

    @Override
    void open() {
        InstantSource clock = () -> Instant.now().plus(passed);
        InMemoryNodeStore memory = new InMemoryNodeStore(clock);
        nodes = memory;
        InMemoryCredentialStore both = new InMemoryCredentialStore(memory, clock);
        store = both;
        certificates = both;
    }

    @Override
    void twoMinutesPass() {
        passed = Duration.ofMinutes(2);
    }
}
