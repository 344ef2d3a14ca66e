package drover.coordinator.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NoReservations;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.health.EvaluatorSelector.NodesWithoutData;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Evaluators that each hear some nodes of a rollout and speak whenever they like, asked or not, and
 * a rollout that goes from one to the next while anything is silent.
 */
class EvaluatorReassignmentTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final RolloutId ROLLOUT = new RolloutId("moving");
    private static final int STEPS = 80;
    private static final int NONE = -1;

    private final FleetCache mirror = new FleetCache(() -> START, NoReservations.ofAnyNode());
    private final List<HealthEvaluatorLink.Listener> lines = new ArrayList<>();
    private final Map<Integer, Set<NodeId>> received = new HashMap<>();
    private final List<NodeId> nodes = new ArrayList<>();
    private final Set<NodeId> verified = new HashSet<>(); // by the one that is asked

    @RepeatedTest(300)
    @DisplayName(
            "F3: well is what the one that is asked finds well, and it moves n - 1 times at most")
    void onlyTheAssignedEvaluatorCounts(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        EvaluatorAssignments assignments = build(random);
        int moves = 0;
        for (int step = 0; step < STEPS; step++) {
            long present = assignments.findOrChooseEvaluatorGeneration(ROLLOUT);
            if (random.nextInt(4) > 0) {
                speaks(random.nextInt(lines.size()), (int) present - 1);
            } else if (verified.size() < nodes.size()) {
                assignments.switchEvaluatorIfPossible(ROLLOUT, unresponsive());
                if (assignments.findOrChooseEvaluatorGeneration(ROLLOUT) != present) {
                    moves++;
                    verified.clear();
                    speaks((int) present - 1, NONE); // late
                    watch(assignments);
                }
            }
            nodes.forEach(
                    node ->
                            assertThat(isHealthy(node))
                                    .as("seed %d", repetition.getCurrentRepetition())
                                    .isEqualTo(verified.contains(node)));
        }
        assertThat(moves).isLessThan(lines.size());
    }

    private EvaluatorAssignments build(Random random) {
        for (int i = 0; i <= random.nextInt(5); i++) {
            nodes.add(new NodeId("node-" + i));
        }
        List<HealthEvaluatorLink.Connector> dialers = new ArrayList<>();
        for (int line = 0; line < 2 + random.nextInt(3); line++) {
            Set<NodeId> visible = new HashSet<>(nodes);
            visible.removeIf(_ -> random.nextInt(3) == 0);
            received.put(line, visible);
            dialers.add(this::open);
        }
        EvaluatorAssignments assignments = new EvaluatorAssignments(dialers, mirror, _ -> {});
        assignments.openIfLostAndSetGateways(List.of());
        lines.forEach(HealthEvaluatorLink.Listener::onOpened);
        watch(assignments);
        return assignments;
    }

    private HealthEvaluatorLink open(HealthEvaluatorLink.Listener events) {
        lines.add(events);
        return new UnresponsiveEvaluator();
    }

    private void watch(EvaluatorAssignments assignments) {
        Digest digest = Digest.of("any");
        assignments.watch(
                ROLLOUT,
                nodes.stream()
                        .map(
                                node ->
                                        new Watch(
                                                node,
                                                1,
                                                "web",
                                                "run",
                                                digest,
                                                digest,
                                                Duration.ofSeconds(1),
                                                3))
                        .toList());
    }

    /** Says all that it hears, whether it is asked or was asked before. */
    private void speaks(int line, int present) {
        Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        received.getOrDefault(line, Set.of())
                .forEach(node -> verdicts.put(node, new HealthVerdict.Healthy(1)));
        lines.get(line).onVerdicts(verdicts);
        if (line == present) {
            verified.addAll(verdicts.keySet());
        }
    }

    private boolean isHealthy(NodeId node) {
        return mirror.snapshot().verdict(node).orElse(null) instanceof HealthVerdict.Healthy;
    }

    private NodesWithoutData unresponsive() {
        Set<NodeId> unresponsive = new HashSet<>(nodes);
        unresponsive.removeAll(verified);
        return new NodesWithoutData(START, unresponsive, Set.copyOf(nodes));
    }

    /** A link over which nothing is heard but what the test says. */
    private static final class UnresponsiveEvaluator implements HealthEvaluatorLink {
        @Override
        public void setGateways(List<String> addresses) {}

        @Override
        public void watch(Collection<Watch> watches) {}

        @Override
        public void unwatch(Collection<NodeId> nodes) {}

        @Override
        public void close() {}
    }
}
