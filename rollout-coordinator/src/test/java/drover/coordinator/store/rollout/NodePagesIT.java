package drover.coordinator.store.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.rollout.RolloutViews.NodePage;
import drover.coordinator.store.rollout.RolloutViews.NodeWithReport;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.RolloutId;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pages of a rollout's nodes. */
class NodePagesIT {
    private static final int NODES = 7;

    private TestDatabase database;
    private RolloutViews views;
    private RolloutId rollout;

    @BeforeEach
    void createRollout() {
        database = TestDatabase.open();
        views = new PostgresRolloutViews(database.database());
        rollout = StoredRollout.create(database, Plan.rolling("demo", NODES, 3));
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }

    private NodePage page(String after, int limit) {
        return views.findNodePage(rollout, after, limit).orElseThrow();
    }

    private static List<String> ids(NodePage page) {
        return page.nodes().stream().map(row -> row.node().id().value()).toList();
    }

    @Test
    void aPageContinuesAfterTheGivenNode() {
        List<String> all = ids(page("", 100));

        assertThat(all).hasSize(NODES).doesNotHaveDuplicates();
        assertThat(ids(page("", 3))).isEqualTo(all.subList(0, 3));
        assertThat(ids(page(all.get(2), 3))).isEqualTo(all.subList(3, 6));
        assertThat(ids(page(all.get(6), 3))).isEmpty();
    }

    @Test
    void nodesAreSortedByBatchAndThenById() {
        database.run("UPDATE rollout_node SET batch_index = 2 - batch_index");

        assertThat(page("", 100).nodes())
                .extracting(NodeWithReport::node)
                .isSortedAccordingTo(
                        Comparator.comparingInt(NodeUpgrade::batch).thenComparing(NodeUpgrade::id));
    }

    @Test
    void anUnknownNodeOrRolloutIsReported() {
        assertThat(page("stranger", 100).known()).isFalse();
        assertThat(page("stranger", 100).nodes()).isEmpty();
        assertThat(views.findNodePage(new RolloutId(UUID.randomUUID().toString()), "", 100))
                .isEmpty();
    }

    @Test
    @DisplayName(
            "Read cost: a page reads its own nodes only, so an unreadable one elsewhere is no obstacle")
    void aPageReadsItsOwnNodesOnly() {
        List<String> all = ids(page("", 100));
        database.run("UPDATE rollout_node SET target = '{}' WHERE node_id = ?", all.getLast());

        assertThat(ids(page("", NODES - 1))).isEqualTo(all.subList(0, NODES - 1));
        assertThatThrownBy(() -> page("", NODES)).isInstanceOf(RuntimeException.class);
    }

    @Test
    @DisplayName(
            "Read cost: the database finds a page through the index of its order, without sorting")
    void aPageIsFoundThroughTheIndex() {
        List<String> plan =
                database.database()
                        .read(
                                "a test",
                                handle -> {
                                    handle.execute("SET LOCAL enable_seqscan = off");
                                    return handle.createQuery("EXPLAIN " + NodePageSql.PAGE)
                                            .bind("id", UUID.fromString(rollout.value()))
                                            .bind("batch", 1)
                                            .bind("after", "n")
                                            .bind("limit", 2)
                                            .mapTo(String.class)
                                            .list();
                                });

        assertThat(plan).anyMatch(line -> line.contains("rollout_node_page"));
        assertThat(plan).noneMatch(line -> line.contains("Sort"));
    }
}
