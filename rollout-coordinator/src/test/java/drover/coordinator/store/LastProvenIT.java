package drover.coordinator.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link LastProvenContract} in PostgreSQL. */
class LastProvenIT extends LastProvenContract {
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
    void lead() {
        database = TestDatabase.open();
        super.lead();
    }
}
