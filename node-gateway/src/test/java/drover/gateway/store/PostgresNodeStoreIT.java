package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresNodeStoreIT extends NodeStoreContract {
    private static EmbeddedPostgres server;

    @BeforeAll
    static void startPostgres() {
        try {
            server = EmbeddedPostgres.start();
        } catch (IOException | IllegalStateException e) {
            Assumptions.abort("SKIPPED: no PostgreSQL can be started here: " + e.getMessage());
        }
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    @Override
    NodeStore open() {
        run("DROP SCHEMA IF EXISTS gateway CASCADE");
        return PostgresNodeStore.open(database());
    }

    @Override
    void outliveAGateway() {
        run("UPDATE gateway.gateway SET seen_at = seen_at - interval '15 seconds'");
    }

    @Test
    void aSecondGatewayFindsTheSchemaUpToDate() {
        NodeStore second = PostgresNodeStore.open(database());

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
        NodeStore store = PostgresNodeStore.open(database());
        run("INSERT INTO gateway.node VALUES ('n1', 'c', 't', '{}', 'sha256:x')");
        var sighting =
                new NodeStore.Sighting(
                        new drover.model.NodeId("n1"), drover.gateway.session.Inventory.NONE, true);
        store.record("g1", List.of(sighting));
        String before = read("SELECT xmin FROM gateway.node");

        store.record("g1", List.of(sighting));

        assertThat(read("SELECT xmin FROM gateway.node")).isEqualTo(before);
    }

    private static DataSource database() {
        return server.getPostgresDatabase();
    }

    private static void run(String sql) {
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static String read(String sql) {
        try (Connection connection = database().getConnection();
                Statement statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
