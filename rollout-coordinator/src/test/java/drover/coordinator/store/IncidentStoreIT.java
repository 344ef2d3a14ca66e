package drover.coordinator.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link IncidentContract} in PostgreSQL. */
class IncidentStoreIT extends IncidentContract {
    @AutoClose private TestDatabase database;

    @Override
    LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    IncidentStore store() {
        return new PostgresIncidentStore(database.database());
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
    void createARunningRollout() {
        database = TestDatabase.open();
        super.createARunningRollout();
    }
}
