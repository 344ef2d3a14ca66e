package drover.gateway.store;

import java.time.InstantSource;

class InMemoryIdentityStoreTest extends IdentityStoreContract {
    @Override
    void open() {
        InMemoryNodeStore memory = new InMemoryNodeStore(InstantSource.system());
        nodes = memory;
        InMemoryIdentityStore both = new InMemoryIdentityStore(memory, InstantSource.system());
        store = both;
        certificates = both;
    }
}
