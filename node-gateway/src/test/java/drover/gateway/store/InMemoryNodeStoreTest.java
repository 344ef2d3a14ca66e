package drover.gateway.store;

import java.time.Instant;
import java.time.InstantSource;

class InMemoryNodeStoreTest extends NodeStoreContract {
    private Instant now = Instant.EPOCH;

    @Override
    NodeStore open() {
        return new InMemoryNodeStore((InstantSource) () -> now);
    }

    @Override
    void outliveAGateway() {
        now = now.plus(NodeStore.GATEWAY_TIMEOUT);
    }
}
