package drover.coordinator.store.commit;

import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link PermanentRowsContract} in PostgreSQL. */
class PermanentRowsIT extends PermanentRowsContract {
    @AutoClose private TestDatabase database;

    @Override
    public LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    public RolloutCreationStore creation() {
        return new PostgresRolloutCreationStore(database.database());
    }

    @Override
    public OperatorNodeRequestStore nodeRequests() {
        return new PostgresOperatorNodeRequestStore(database.database());
    }

    @BeforeEach
    @Override
    void aRolloutHasAssigned() {
        database = TestDatabase.open();
        super.aRolloutHasAssigned();
    }
}
