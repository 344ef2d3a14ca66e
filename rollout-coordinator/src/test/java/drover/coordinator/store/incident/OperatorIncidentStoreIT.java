package drover.coordinator.store.incident;

import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** {@link OperatorIncidentStoreContract} in PostgreSQL. */
class OperatorIncidentStoreIT extends OperatorIncidentStoreContract {
    @AutoClose private TestDatabase database;

    @Override
    public LeaderStore leader() {
        return new PostgresLeaderStore(database.database());
    }

    @Override
    public OperatorIncidentStore store() {
        return new PostgresOperatorIncidentStore(database.database());
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
    void createARunningRollout() {
        database = TestDatabase.open();
        super.createARunningRollout();
    }
}
