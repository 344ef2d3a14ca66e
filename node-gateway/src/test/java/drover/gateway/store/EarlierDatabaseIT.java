package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.ReportedProgram;
import drover.kit.database.ConnectionPool;
import drover.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a gateway of an earlier version stored ({@code state-8a38980e/README.md}) is read as it was
 * meant.
 */
@DisplayName("C15: nodes, tokens and certificates of an earlier version")
class EarlierDatabaseIT {
    private static final String SERIAL = "654ad7c8c240ede6638a17d5135dc9ca";

    @AutoClose private ConnectionPool pool;
    private NodeStore nodes;

    @BeforeEach
    void restore() throws IOException {
        TestPostgres database = TestPostgres.withoutSchema();
        database.run(dump());
        pool = ConnectionPool.ofDataSource(database.dataSource(), 2);
        nodes = PostgresNodeStore.migrateAndOpen(pool);
    }

    private static String dump() throws IOException {
        try (InputStream packed =
                        EarlierDatabaseIT.class.getResourceAsStream(
                                "/state-8a38980e/gateway.sql.gz");
                InputStream text = new GZIPInputStream(Objects.requireNonNull(packed))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void readsNodesWithTheirInventory() {
        assertThat(nodes.list(NodeStore.Query.firstPage())).hasSize(11);
        NodeStore.StoredNode node =
                nodes.list(NodeStore.Query.firstPage()).stream()
                        .filter(one -> one.node().id().equals(new NodeId("yard-1")))
                        .findFirst()
                        .orElseThrow();
        assertThat(node.node().labels()).containsEntry("zone", "north");
        assertThat(node.lastSeen()).isPresent();
        assertThat(node.blockReason()).isEmpty();
        NodeInventory inventory = node.inventory();
        assertThat(inventory.features()).contains("upgrade/1", "restore/1");
        assertThat(inventory.runtime()).isEqualTo("process");
        ReportedProgram program = inventory.programs().getFirst();
        assertThat(program.version()).isEqualTo("v2");
        assertThat(program.running()).isTrue();
        assertThat(program.configFiles()).containsOnlyKeys("/etc/sleeper.conf");
        assertThat(program.artifactUrl()).endsWith("/sleeper-v2");
    }

    @Test
    void readsTokensAndCertificates() {
        assertThat(new PostgresEnrollmentStore(pool).listJoinTokens())
                .singleElement()
                .extracting(JoinTokenMetadata::node, JoinTokenMetadata::uses)
                .containsExactly(Optional.of(new NodeId("mill-3")), 1);
        assertThat(
                        new PostgresCertificateStore(pool)
                                .recordPresentedAndLockCopied(SERIAL)
                                .orElseThrow()
                                .node()
                                .id())
                .isEqualTo(new NodeId("mill-3"));
        assertThat(new PostgresCertificateStore(pool).listLockedNodes()).isEmpty();
    }
}
