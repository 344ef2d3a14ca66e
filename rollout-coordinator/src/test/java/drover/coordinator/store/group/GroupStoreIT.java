package drover.coordinator.store.group;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.sql.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@link GroupStoreContract} in PostgreSQL, and what PostgreSQL alone refuses. */
class GroupStoreIT extends GroupStoreContract {
    @AutoClose private TestDatabase database;

    @Override
    public GroupStore store() {
        return new PostgresGroupStore(database.database());
    }

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
    void openTheStore() {
        database = TestDatabase.open();
        super.openTheStore();
    }

    @Test
    @DisplayName("G2: the history of a group is append-only")
    void theHistoryOfAGroupIsAppendOnly() {
        create();
        assertThatThrownBy(() -> database.run("UPDATE group_history SET actor = 'mallory'"))
                .hasStackTraceContaining("append-only");
        assertThatThrownBy(() -> database.run("DELETE FROM group_history"))
                .hasStackTraceContaining("append-only");
    }
}
