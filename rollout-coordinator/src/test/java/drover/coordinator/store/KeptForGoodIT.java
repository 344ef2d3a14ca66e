package drover.coordinator.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link KeptForGoodContract} in PostgreSQL. */
class KeptForGoodIT extends KeptForGoodContract {
    @AutoClose private TestDatabase database;

    @Override
    LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    CreationStore creation() {
        return new PostgresCreationStore(database.database());
    }

    @Override
    NodeRequestStore nodeRequests() {
        return new PostgresNodeRequestStore(database.database());
    }

    @BeforeEach
    @Override
    void aRolloutHasAssigned() {
        database = TestDatabase.open();
        super.aRolloutHasAssigned();
    }
}
