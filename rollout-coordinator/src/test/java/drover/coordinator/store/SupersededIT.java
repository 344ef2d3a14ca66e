package drover.coordinator.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link SupersededContract} in PostgreSQL. */
class SupersededIT extends SupersededContract {
    @AutoClose private TestDatabase database;

    @Override
    LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    CreationStore creation() {
        return new PostgresCreationStore(database.database());
    }

    @BeforeEach
    @Override
    void oneRolloutHasInstalled() {
        database = TestDatabase.open();
        super.oneRolloutHasInstalled();
    }
}
