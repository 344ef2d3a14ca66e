package drover.coordinator.store.create;

import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

class CreationKeyIT extends CreationKeyContract {
    @AutoClose private TestDatabase database;
    private CreationStore store;

    @BeforeEach
    void openTheDatabase() {
        database = TestDatabase.open();
        store = new PostgresCreationStore(database.database());
    }

    @Override
    public CreationStore store() {
        return store;
    }
}
