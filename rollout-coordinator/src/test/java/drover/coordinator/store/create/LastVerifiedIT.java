package drover.coordinator.store.create;

import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link LastVerifiedContract} in PostgreSQL. */
class LastVerifiedIT extends LastVerifiedContract {
    @AutoClose private TestDatabase database;

    @Override
    public LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    public RolloutCreationStore creation() {
        return new PostgresRolloutCreationStore(database.database());
    }

    @BeforeEach
    @Override
    void lead() {
        database = TestDatabase.open();
        super.lead();
    }
}
