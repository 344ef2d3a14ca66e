package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresNodeStoreIT extends NodeStoreContract {
    private static TestPostgres database;

    @BeforeAll
    static void openADatabase() {
        database = TestPostgres.open();
    }

    @Override
    NodeStore open() {
        database.run("DROP SCHEMA IF EXISTS gateway CASCADE");
        return PostgresNodeStore.open(database.dataSource());
    }

    @Override
    void outliveAGateway() {
        database.run("UPDATE gateway.gateway SET seen_at = seen_at - interval '15 seconds'");
    }

    @Test
    void aSecondGatewayFindsTheSchemaUpToDate() {
        NodeStore second = PostgresNodeStore.open(database.dataSource());

        assertThat(second.list(NodeStore.Query.everything())).isEmpty();
    }

    @Test
    void saysWhatItCouldNotDoWhenTheDatabaseIsAway() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setURL("jdbc:postgresql://127.0.0.1:1/none?connectTimeout=1");

        assertThatThrownBy(() -> PostgresNodeStore.open(nowhere))
                .isInstanceOf(StoreUnavailable.class)
                .hasMessageContaining("could not bring its schema up to date");
    }

    @Test
    void anUnchangedInventoryIsNotWrittenAgain() {
        NodeStore store = PostgresNodeStore.open(database.dataSource());
        database.run("INSERT INTO gateway.node VALUES ('n1', 'c', 't', '{}', 'sha256:x')");
        var sighting =
                new NodeStore.Sighting(
                        new drover.model.NodeId("n1"), drover.gateway.session.Inventory.NONE, true);
        store.record("g1", List.of(sighting));
        String before = database.text("SELECT xmin FROM gateway.node");

        store.record("g1", List.of(sighting));

        assertThat(database.text("SELECT xmin FROM gateway.node")).isEqualTo(before);
    }
}
