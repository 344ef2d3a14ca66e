package drover.coordinator.store.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.store.sql.TestDatabase;
import drover.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Against the gateways' table as every version of it has been; the real one is in standalone. */
class BlockedNodeReaderIT {
    @AutoClose private TestDatabase database;
    private BlockedNodeReader blockedNodes;

    @BeforeEach
    void openADatabase() {
        database = TestDatabase.open();
        blockedNodes = new PostgresBlockedNodeReader(database.database());
    }

    private static NodeId node(int number) {
        return new NodeId("n" + number);
    }

    @Test
    void noNodeIsBlockedWithoutAGateway() {
        assertThat(blockedNodes.findBlocked(List.of(node(1)))).isEmpty();
    }

    @Test
    @DisplayName("B9: it reads on when gateways of a version that bars nodes come later")
    void gatewaysWithoutTheFeatureBlockNoNode() {
        database.run("CREATE SCHEMA gateway");
        database.run("CREATE TABLE gateway.node (id text PRIMARY KEY, retired_at timestamptz)");
        database.run("INSERT INTO gateway.node VALUES ('n1', now())");
        assertThat(blockedNodes.findBlocked(List.of(node(1)))).isEmpty();

        database.run("ALTER TABLE gateway.node ADD COLUMN barred_at timestamptz");
        database.run("INSERT INTO gateway.node VALUES ('n2', NULL, now()), ('n3', NULL, NULL)");

        assertThat(blockedNodes.findBlocked(List.of(node(1), node(2), node(3))))
                .as("retired, and barred")
                .containsExactlyInAnyOrder(node(1), node(2));
        assertThat(blockedNodes.findBlocked(List.of(node(3), node(4))))
                .as("of those asked for")
                .isEmpty();
    }
}
