package drover.coordinator.store;

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
    CreationStore store() {
        return store;
    }
}
