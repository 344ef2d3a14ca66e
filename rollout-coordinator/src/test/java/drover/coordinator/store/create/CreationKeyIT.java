package drover.coordinator.store.create;

import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

class CreationKeyIT extends CreationKeyContract {
    @AutoClose private TestDatabase database;
    private RolloutCreationStore store;

    @BeforeEach
    void openTheDatabase() {
        database = TestDatabase.open();
        store = new PostgresRolloutCreationStore(database.database());
    }

    @Override
    public RolloutCreationStore store() {
        return store;
    }
}
