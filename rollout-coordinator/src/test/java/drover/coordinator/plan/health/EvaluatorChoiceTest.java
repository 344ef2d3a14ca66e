package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.health.EvaluatorSelector.ConnectedEvaluator;
import drover.coordinator.plan.health.EvaluatorSelector.NodesWithoutData;
import drover.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class EvaluatorChoiceTest {
    private static final Instant RUNNING = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant RESUMED = RUNNING.plusSeconds(600);
    private static final NodeId A = new NodeId("a");
    private static final NodeId B = new NodeId("b");
    private static final List<ConnectedEvaluator> THREE =
            List.of(open(1, 1), open(2, 5), open(3, 4));

    private static ConnectedEvaluator open(long opening, long rollouts) {
        return new ConnectedEvaluator(opening, rollouts);
    }

    private static NodesWithoutData unresponsive(
            Instant since, Set<NodeId> unresponsive, NodeId... waitedFor) {
        return new NodesWithoutData(since, unresponsive, Set.of(waitedFor));
    }

    @Test
    void triesTheLeastBusyFirst() {
        assertThat(EvaluatorSelector.NONE_TRIED.selectInitial(THREE)).contains(open(1, 1));
        assertThat(EvaluatorSelector.NONE_TRIED.selectInitial(List.of(open(7, 2), open(5, 2))))
                .as("the first of the list on a tie")
                .contains(open(7, 2));
        assertThat(EvaluatorSelector.NONE_TRIED.selectInitial(List.of())).isEmpty();
    }

    @Test
    void goesFromTheLeastBusyToTheNextAndNotBack() {
        NodesWithoutData withoutData = unresponsive(RUNNING, Set.of(A), A);
        EvaluatorSelector first =
                EvaluatorSelector.NONE_TRIED.withNodesWithoutData(1, THREE, withoutData);
        assertThat(first.selectNext(1, THREE)).contains(open(3, 4));

        EvaluatorSelector second = first.withNodesWithoutData(3, THREE, withoutData);
        assertThat(second.selectNext(3, THREE)).contains(open(2, 5));
        assertThat(second.withNodesWithoutData(2, THREE, withoutData).selectNext(2, THREE))
                .isEmpty();
    }

    @Test
    void theOnlyOneHasNoOther() {
        List<ConnectedEvaluator> one = List.of(open(1, 1));
        NodesWithoutData withoutData = unresponsive(RUNNING, Set.of(A), A);
        assertThat(
                        EvaluatorSelector.NONE_TRIED
                                .withNodesWithoutData(1, one, withoutData)
                                .selectNext(1, one))
                .isEmpty();
    }

    @Test
    @DisplayName("one whose link was lost and is back may reach what it had not")
    void aLinkThatWasOpenedAgainIsAnother() {
        NodesWithoutData withoutData = unresponsive(RUNNING, Set.of(A), A);
        EvaluatorSelector known =
                EvaluatorSelector.NONE_TRIED.withNodesWithoutData(1, THREE, withoutData);
        List<ConnectedEvaluator> reopened = List.of(open(9, 1), open(3, 4));

        assertThat(known.withNodesWithoutData(3, reopened, withoutData).selectNext(3, reopened))
                .contains(open(9, 1));
    }

    @Test
    void resumeRequestsAllNodesAgain() {
        EvaluatorSelector known =
                EvaluatorSelector.NONE_TRIED.withNodesWithoutData(
                        1, THREE, unresponsive(RUNNING, Set.of(A), A));
        List<ConnectedEvaluator> two = List.of(open(1, 1), open(2, 5));
        assertThat(
                        known.withNodesWithoutData(2, two, unresponsive(RUNNING, Set.of(A), A))
                                .selectNext(2, two))
                .isEmpty();
        assertThat(
                        known.withNodesWithoutData(2, two, unresponsive(RESUMED, Set.of(A), A))
                                .selectNext(2, two))
                .contains(open(1, 1));
    }

    @Test
    @DisplayName("who did not hear a node that is proven by now may hear the others")
    void endedWaitsCountAgainstNoEvaluator() {
        List<ConnectedEvaluator> two = List.of(open(1, 1), open(2, 5));
        EvaluatorSelector known =
                EvaluatorSelector.NONE_TRIED.withNodesWithoutData(
                        1, two, unresponsive(RUNNING, Set.of(A), A, B));

        assertThat(
                        known.withNodesWithoutData(2, two, unresponsive(RUNNING, Set.of(B), A, B))
                                .selectNext(2, two))
                .as("A is waited for, and only the other one hears it")
                .isEmpty();
        assertThat(
                        known.withNodesWithoutData(2, two, unresponsive(RUNNING, Set.of(B), B))
                                .selectNext(2, two))
                .contains(open(1, 1));
    }

    @Test
    @DisplayName("where its own is lost, it rather asks one that was not asked in vain")
    void lostEvaluatorIsReplacedByAReachableOne() {
        EvaluatorSelector known =
                EvaluatorSelector.NONE_TRIED.withNodesWithoutData(
                        1, THREE, unresponsive(RUNNING, Set.of(A), A));

        assertThat(known.selectInitial(THREE)).contains(open(3, 4));
        assertThat(known.selectInitial(List.of(open(1, 1))))
                .as("better than none")
                .contains(open(1, 1));
    }

    /**
     * Any evaluators, each hearing any gateways, and nodes at any of them: a node is proven where
     * it is heard, and whatever is not is asked elsewhere.
     */
    @RepeatedTest(500)
    @DisplayName("comes to rest where one hears all, and in at most one move fewer than there are")
    void comesToRest(RepetitionInfo repetition) {
        long seed = repetition.getCurrentRepetition();
        Random random = new Random(seed);
        int evaluators = 1 + random.nextInt(5);
        List<NodeId> nodes = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(6); i++) {
            nodes.add(new NodeId("node-" + i));
        }
        List<Set<NodeId>> received = new ArrayList<>();
        for (int i = 0; i < evaluators; i++) {
            received.add(
                    nodes.stream()
                            .filter(_ -> random.nextInt(4) > 0)
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        List<ConnectedEvaluator> open =
                LongStream.range(0, evaluators)
                        .mapToObj(opening -> open(opening, random.nextInt(3)))
                        .toList();

        EvaluatorSelector known = EvaluatorSelector.NONE_TRIED;
        long present = known.selectInitial(open).orElseThrow().generation();
        int moves = 0;
        while (true) {
            Set<NodeId> unresponsive = new TreeSet<>(nodes);
            unresponsive.removeAll(received.get((int) present));
            if (unresponsive.isEmpty()) {
                break;
            }
            known =
                    known.withNodesWithoutData(
                            present,
                            open,
                            new NodesWithoutData(RUNNING, unresponsive, Set.copyOf(nodes)));
            Optional<ConnectedEvaluator> next = known.selectNext(present, open);
            if (next.isEmpty()) {
                assertThat(received).as("seed %d", seed).noneMatch(all -> all.containsAll(nodes));
                break;
            }
            present = next.get().generation();
            assertThat(++moves).as("seed %d", seed).isLessThan(evaluators);
        }
    }
}
