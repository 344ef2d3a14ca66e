package drover.coordinator.store;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** {@link NodeRequestContract} in PostgreSQL. */
class NodeRequestsIT extends NodeRequestContract {
    private TestDatabase database;

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

    @AfterEach
    void closeTheDatabase() {
        if (database != null) {
            database.close();
        }
    }
}
