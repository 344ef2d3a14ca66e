package drover.coordinator.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link NodeRequestContract} in PostgreSQL. */
class NodeRequestsIT extends NodeRequestContract {
    @AutoClose private TestDatabase database;

    @Override
    LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    NodeRequestStore requests() {
        return new PostgresNodeRequestStore(database.database());
    }

    @BeforeEach
    @Override
    void aLeaderLeads() {
        database = TestDatabase.open();
        super.aLeaderLeads();
    }
}
