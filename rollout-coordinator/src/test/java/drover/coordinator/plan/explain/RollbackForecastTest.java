package drover.coordinator.plan.explain;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RollbackForecastTest {
    private static final Duration WORK = Duration.ofSeconds(4);

    /** Five nodes in batches of two; the first two batches are upgraded, the fifth node is next. */
    private static Given upgraded() {
        return Given.rolling(5, 2).start().batchSucceeds().batchSucceeds();
    }

    private static RolloutForecast forecast(
            Given given, RollbackHealthPolicy health, NodeId... unhealthy) {
        Set<NodeId> bad = Set.of(unhealthy);
        return RollbackForecast.of(
                given.rollout, health, node -> bad.contains(node.id()), Set.of(), WORK, given.now);
    }

    private static List<List<NodeId>> groups(RolloutForecast forecast) {
        return forecast.parts().stream().map(RolloutForecast.BatchForecast::nodes).toList();
    }

    private static List<NodeId> nodes(int... numbers) {
        List<NodeId> nodes = new ArrayList<>();
        for (int number : numbers) {
            nodes.add(Given.node(number));
        }
        return nodes;
    }

    @Test
    void modifiedNodesAreRestoredInGroupsOfTheBatchSizeFromTheNewestBatch() {
        assertThat(groups(forecast(upgraded(), RollbackHealthPolicy.WAIT)))
                .as("the fifth node was only assigned, so its work is withdrawn")
                .containsExactly(nodes(3, 4), nodes(1, 2));
    }

    @Test
    void offlineNodesAreListedAndNotRestored() {
        Given given = upgraded();
        Set<NodeId> offline = Set.of(Given.node(3), Given.node(5));

        RolloutForecast forecast =
                RollbackForecast.of(
                        given.rollout,
                        RollbackHealthPolicy.WAIT,
                        node -> false,
                        offline,
                        WORK,
                        given.now);

        assertThat(groups(forecast)).containsExactly(nodes(4, 1), nodes(2));
        assertThat(RollbackForecast.findSkips(given.rollout, offline, Map.of()))
                .as("the fifth node has nothing to restore")
                .singleElement()
                .satisfies(
                        skip -> {
                            assertThat(skip.node()).isEqualTo(Given.node(3));
                            assertThat(skip.reason()).isEqualTo(SkipReason.OFFLINE);
                            assertThat(skip.sentence()).contains("ROLLBACK_INCOMPLETE");
                        });
    }

    @Test
    void namesTheClearOfANodeWhoseRestoreFailed() {
        Given given = Given.rolling(1, 1).start().batchSucceeds();
        given.isObserved().request(new OperatorRequest.Rollback());
        given.plan().refuses(Given.node(1), "DISK_FULL");
        NodeAttemptsAndReservation marked = new NodeAttemptsAndReservation(2, null, true);

        assertThat(
                        RollbackForecast.findSkips(
                                given.rollout, Set.of(), Map.of(Given.node(1), marked)))
                .singleElement()
                .satisfies(
                        skip -> {
                            assertThat(skip.reason()).isEqualTo(SkipReason.FAILED_ROLLBACK);
                            assertThat(skip.sentence()).contains("drover node clear");
                        });
        assertThat(RollbackForecast.findSkips(given.rollout, Set.of(), Map.of())).isEmpty();
    }

    @Test
    void aRetiredNodeIsListedAndNotRestored() {
        Given given = Given.rolling(1, 1).start().batchSucceeds();
        given.fleet.retire(Given.node(1));

        assertThat(
                        RollbackForecast.findSkips(
                                given.rollout,
                                Set.of(),
                                Map.of(Given.node(1), given.fleet.reservation(Given.node(1)))))
                .singleElement()
                .satisfies(skip -> assertThat(skip.reason()).isEqualTo(SkipReason.RETIRED));
    }

    @Test
    void unhealthyNodesComeFirst() {
        assertThat(groups(forecast(upgraded(), RollbackHealthPolicy.WAIT, Given.node(2))))
                .containsExactly(nodes(2, 3), nodes(4, 1));
    }

    @Test
    void everyGroupWaitsForHealthUnlessThatIsIgnored() {
        Given given = upgraded();
        Duration wait = given.rollout.spec().healthWait();
        assertThat(forecast(given, RollbackHealthPolicy.WAIT).expectedDuration())
                .isEqualTo(WORK.plus(wait).multipliedBy(2));
        assertThat(forecast(given, RollbackHealthPolicy.IGNORE).expectedDuration())
                .isEqualTo(WORK.multipliedBy(2));
    }

    @Test
    void theForecastIsTheOrderOfARollbackWithUnhealthyNodes() {
        Given given = Given.rolling(4, 1).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        given.isObserved().fleet.verdicts.clear();
        given.fleet.reports(Given.node(2), Level.CRITICAL, given.now);
        List<NodeId> forecast =
                groups(forecast(given, RollbackHealthPolicy.WAIT, Given.node(2))).stream()
                        .flatMap(List::stream)
                        .toList();
        given.request(new OperatorRequest.Rollback());
        assertThat(restoredInOrder(given.plan())).containsExactlyElementsOf(forecast);
    }

    private static List<NodeId> restoredInOrder(Given given) {
        List<NodeId> restored = new ArrayList<>();
        while (!given.inFlight().isEmpty()) {
            List<NodeId> group = given.inFlight();
            restored.addAll(group);
            group.forEach(given::restores);
        }
        return restored;
    }

    @Test
    void theForecastIsTheOrderOfTheRollback() {
        Given given = Given.rolling(4, 2).start().batchSucceeds().batchSucceeds();
        List<NodeId> forecast =
                groups(forecast(given, RollbackHealthPolicy.WAIT)).stream()
                        .flatMap(List::stream)
                        .toList();
        given.request(new OperatorRequest.Rollback());
        assertThat(restoredInOrder(given.plan())).containsExactlyElementsOf(forecast);
    }
}
