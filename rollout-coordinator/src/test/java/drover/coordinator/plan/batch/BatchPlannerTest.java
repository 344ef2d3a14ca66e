package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Faults;
import drover.coordinator.plan.batch.BatchPlanner.PlannedBatch;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.Strategy;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BatchPlannerTest {
    private static final NodeOrder AS_LISTED =
            new NodeOrder(NodeOrder.Kind.AS_LISTED, "", List.of());

    @Test
    void theLadderIsOneThenOneFiveAndTwentyPercentThenTheRest() {
        assertThat(sizes(new Strategy.Progressive(10), 1_000)).containsExactly(1, 10, 50, 200, 739);
        assertThat(sizes(new Strategy.Progressive(10), 12)).containsExactly(1, 1, 1, 3, 6);
    }

    @Test
    void theCanaryIsChosenByItsSeedAlone() {
        Strategy canary = new Strategy.Canary(3, 4);
        assertThat(BatchPlanner.plan(canary, NodeOrder.DEFAULT, nodes(20), 42))
                .isEqualTo(BatchPlanner.plan(canary, NodeOrder.DEFAULT, nodes(20), 42))
                .isNotEqualTo(BatchPlanner.plan(canary, NodeOrder.DEFAULT, nodes(20), 43));
    }

    @Test
    void batchesFollowTheOrderOfTheNodes() {
        List<NodeId> order = nodes(7).reversed();
        for (Strategy strategy : strategies(3, 2)) {
            List<NodeId> planned =
                    BatchPlanner.plan(strategy, AS_LISTED, order, 42).stream()
                            .flatMap(batch -> batch.nodes().stream())
                            .toList();
            assertThat(planned).as("%s", strategy).isEqualTo(order);
        }
    }

    @Test
    void theCanaryIsTheFirstNodesOfAnExplicitOrder() {
        List<NodeId> order = nodes(7).reversed();
        assertThat(BatchPlanner.plan(new Strategy.Canary(2, 3), AS_LISTED, order, 42).getFirst())
                .isEqualTo(new PlannedBatch(true, order.subList(0, 2)));
    }

    @Test
    void lastNodesShareNoBatchWithOthers() {
        List<NodeId> nodes = nodes(10);
        NodeOrder order = NodeOrder.DEFAULT.withLast(nodes.subList(7, 10));
        List<NodeId> last = nodes.subList(7, 10);

        assertThat(BatchPlanner.plan(new Strategy.Rolling(2), order, nodes, 1))
                .extracting(PlannedBatch::nodes)
                .containsExactly(
                        nodes.subList(0, 2),
                        nodes.subList(2, 4),
                        nodes.subList(4, 6),
                        nodes.subList(6, 7),
                        nodes.subList(7, 9),
                        nodes.subList(9, 10));
        assertThat(BatchPlanner.plan(new Strategy.Canary(1, 4), order, nodes, 1))
                .extracting(batch -> batch.nodes().stream().filter(last::contains).count())
                .containsExactly(0L, 0L, 0L, 3L);
        assertThat(BatchPlanner.plan(new Strategy.Progressive(10), order, nodes, 1))
                .extracting(PlannedBatch::nodes)
                .endsWith(nodes.subList(7, 8), nodes.subList(8, 9), nodes.subList(9, 10));
    }

    @Test
    void aRandomCanaryTakesLastNodesOnlyIfThereAreNoOthers() {
        List<NodeId> nodes = nodes(6);
        NodeOrder order = NodeOrder.DEFAULT.withLast(nodes.subList(3, 6));
        for (long seed = 0; seed < 100; seed++) {
            assertThat(
                            BatchPlanner.plan(new Strategy.Canary(3, 1), order, nodes, seed)
                                    .getFirst()
                                    .nodes())
                    .isEqualTo(nodes.subList(0, 3));
            assertThat(
                            BatchPlanner.plan(new Strategy.Canary(4, 1), order, nodes, seed)
                                    .getFirst()
                                    .nodes())
                    .isEqualTo(nodes.subList(0, 4));
        }
    }

    @Test
    @DisplayName("A8: every node in exactly one batch, none empty, the canary as large as asked")
    void everyNodeIsInExactlyOneBatch() {
        long seed = 20_260_101;
        Random random = new Random(seed);
        for (int round = 0; round < (Faults.FULL_SUITE ? 20_000 : 2_000); round++) {
            int count = random.nextInt(60);
            int size = 1 + random.nextInt(12);
            int canary = 1 + random.nextInt(6);
            for (Strategy strategy : strategies(size, canary)) {
                List<PlannedBatch> batches =
                        BatchPlanner.plan(
                                strategy, order(random, count), nodes(count), random.nextLong());
                List<NodeId> all = new ArrayList<>();
                batches.forEach(batch -> all.addAll(batch.nodes()));
                String what =
                        "seed " + seed + ", round " + round + ", " + strategy + " over " + count;
                assertThat(all).as(what).containsExactlyInAnyOrderElementsOf(nodes(count));
                assertThat(batches).as(what).noneMatch(batch -> batch.nodes().isEmpty());
                if (strategy instanceof Strategy.Canary && count > 0) {
                    assertThat(batches.getFirst().nodes())
                            .as(what)
                            .hasSize(Math.min(canary, count));
                }
            }
        }
    }

    private static NodeOrder order(Random random, int count) {
        return random.nextBoolean()
                ? AS_LISTED
                : NodeOrder.DEFAULT.withLast(nodes(count).subList(count / 2, count));
    }

    private static List<Strategy> strategies(int size, int canary) {
        return List.of(
                new Strategy.Rolling(size),
                new Strategy.Canary(canary, size),
                new Strategy.Progressive(size),
                new Strategy.AllAtOnce(size, false, false));
    }

    private static List<Integer> sizes(Strategy strategy, int nodes) {
        return BatchPlanner.plan(strategy, NodeOrder.DEFAULT, nodes(nodes), 1).stream()
                .map(batch -> batch.nodes().size())
                .toList();
    }

    private static List<NodeId> nodes(int count) {
        List<NodeId> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(new NodeId("node-%04d".formatted(i)));
        }
        return nodes;
    }
}
