package drover.coordinator.store.node;

import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link OperatorNodeRequestStoreContract} in PostgreSQL. */
class OperatorNodeRequestStoreIT extends OperatorNodeRequestStoreContract {
    @AutoClose private TestDatabase database;

    @Override
    public LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    public OperatorNodeRequestStore requests() {
        return new PostgresOperatorNodeRequestStore(database.database());
    }

    @BeforeEach
    @Override
    void aLeaderLeads() {
        database = TestDatabase.open();
        super.aLeaderLeads();
    }
}
