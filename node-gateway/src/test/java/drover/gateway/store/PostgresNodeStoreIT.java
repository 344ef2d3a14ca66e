package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.gateway.Waits;
import drover.gateway.session.NodeInventory;
import drover.model.NodeId;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@SuppressWarnings("NullAway.Init") // open() sets it before every test
class PostgresNodeStoreIT extends NodeStoreContract {
    private TestPostgres database;

    @Override
    NodeStore open() {
        database = TestPostgres.open();
        return PostgresNodeStore.migrateAndOpen(database.dataSource());
    }

    @Override
    void outliveAGateway() {
        database.run("UPDATE gateway.gateway SET seen_at = seen_at - interval '15 seconds'");
    }

    @Test
    void aSecondGatewayFindsTheSchemaUpToDate() {
        NodeStore second = PostgresNodeStore.migrateAndOpen(database.dataSource());

        assertThat(second.list(NodeStore.Query.firstPage())).isEmpty();
    }

    @Test
    void reportsTheFailedOperationWithoutADatabase() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setURL("jdbc:postgresql://127.0.0.1:1/none?connectTimeout=1");

        assertThatThrownBy(() -> PostgresNodeStore.migrateAndOpen(nowhere))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("could not bring its schema up to date");
    }

    @Test
    void anUnchangedInventoryIsNotWrittenAgain() {
        NodeStore store = PostgresNodeStore.migrateAndOpen(database.dataSource());
        database.run("INSERT INTO gateway.node VALUES ('n1', 'c', 't', '{}', 'sha256:x')");
        var sighting = new NodeStore.NodeUpdate(new NodeId("n1"), NodeInventory.NONE, true);
        store.writeNodeUpdates("g1", List.of(sighting));
        String before = database.text("SELECT xmin FROM gateway.node");

        store.writeNodeUpdates("g1", List.of(sighting));

        assertThat(database.text("SELECT xmin FROM gateway.node")).isEqualTo(before);
    }

    @Test
    @DisplayName("D-172: who begins while another gateway writes the same rows is not kept from it")
    void whoStartsGivesWayAndComesAgain() throws Exception {
        NodeStore store = PostgresNodeStore.migrateAndOpen(database.dataSource());
        database.run("INSERT INTO gateway.node VALUES ('a', 'c', 't', '{}', 'sha256:a')");
        database.run("INSERT INTO gateway.node VALUES ('z', 'c', 't', '{}', 'sha256:z')");
        store.writeNodeUpdates("g1", List.of(held("a")));
        store.writeNodeUpdates(
                "g1", List.of(held("z"))); // behind the other one, where rows are read
        noticeDeadlocksAfter("5s"); // of g1 from now on: time enough to bring one about
        try (Connection another = database.dataSource().getConnection();
                Statement statement = another.createStatement()) {
            statement.execute("SET deadlock_timeout = '60s'"); // so that g1 is the one to give way
            another.setAutoCommit(false);
            statement.execute("UPDATE gateway.node SET last_seen_at = now() WHERE id = 'z'");
            CompletableFuture<Void> started =
                    CompletableFuture.runAsync(() -> store.releaseGatewayNodes("g1"));
            await().atMost(Waits.LIMIT).until(this::isWaitingForLock);
            statement.execute("UPDATE gateway.node SET last_seen_at = now() WHERE id = 'a'");
            another.commit();

            assertThat(started).succeedsWithin(Waits.LIMIT);
        } finally {
            noticeDeadlocksAfter("1s");
        }
        assertThat(store.list(NodeStore.Query.firstPage()))
                .extracting(NodeStore.StoredNode::lastGatewayId)
                .containsExactly("", "");
    }

    private static NodeStore.NodeUpdate held(String node) {
        return new NodeStore.NodeUpdate(new NodeId(node), NodeInventory.NONE, true);
    }

    private boolean isWaitingForLock() {
        return !database.text("SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0");
    }

    /** In sessions that begin from now on. */
    private void noticeDeadlocksAfter(String time) {
        String name = database.text("SELECT current_database()");
        database.run("ALTER DATABASE " + name + " SET deadlock_timeout = '" + time + "'");
    }
}
