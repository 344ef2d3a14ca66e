package drover.coordinator.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two rollouts that care for two programs of one node: a chain's, and the agent. */
class TwoProgramsTest {
    private static final NodeId NODE = new NodeId("a");
    private static final RolloutId CHAIN = new RolloutId("of-the-chain");
    private static final RolloutId AGENTS = new RolloutId("of-the-agents");

    private final NodeReservationCache guards =
            new NodeReservationCache(new InMemoryCoordinatorStore(Instant::now));
    private final FleetCache mirror = new FleetCache(Instant::now, guards);
    private final List<String> requested = new ArrayList<>();
    private final EvaluatorAssignments assignments =
            new EvaluatorAssignments(List.of(this::evaluator), mirror, nodes -> {});

    @Test
    @DisplayName("A4, F1: a node that is being proven is taken, although its attempt is closed")
    void aNodeThatIsBeingVerifiedIsTaken() {
        guards.load(List.of(NODE));
        guards.recordAttempt(NODE, 1, CHAIN);
        guards.reserve(NODE, CHAIN);
        guards.closeAttempt(NODE, 1, false);

        NodeAttemptsAndReservation guard = guards.of(NODE);
        assertThat(guard.openFor()).isNull();
        assertThat(guard.otherReservingRollout(AGENTS)).isEqualTo(CHAIN);
        assertThat(guard.otherReservingRollout(CHAIN)).isNull();

        guards.release(NODE, AGENTS);
        assertThat(guards.of(NODE).otherReservingRollout(AGENTS))
                .as("not theirs to release")
                .isEqualTo(CHAIN);
        guards.release(NODE, CHAIN);
        assertThat(guards.of(NODE).otherReservingRollout(AGENTS)).isNull();
    }

    @Test
    void theEarlierAttemptsWatchDoesNotEndTheLaterOnes() {
        assignments.openIfLostAndSetGateways(List.of());
        assignments.watch(CHAIN, List.of(watch(1)));
        assignments.watch(AGENTS, List.of(watch(2)));

        assignments.unwatch(Map.of(NODE, 1L));
        assignments.watch(CHAIN, List.of(watch(1)));
        assertThat(requested).containsExactly("watch 1", "watch 2");

        assignments.unwatch(Map.of(NODE, 2L));
        assertThat(requested).last().isEqualTo("unwatch");
    }

    @Test
    void whatWasJudgedOfTheLaterAttemptStays() {
        mirror.applyVerdicts(Map.of(NODE, new HealthVerdict.Healthy(2)));

        mirror.verdicts().forget(NODE, 1);
        assertThat(mirror.snapshot().verdict(NODE)).isPresent();
        mirror.verdicts().forget(NODE, 2);

        assertThat(mirror.snapshot().verdict(NODE)).isEmpty();
    }

    private static Watch watch(long attempt) {
        Digest digest = Digest.of("any");
        return new Watch(NODE, attempt, "web", "run", digest, digest, Duration.ofSeconds(1), 3);
    }

    private HealthEvaluatorLink evaluator(HealthEvaluatorLink.Listener events) {
        events.onOpened();
        return new Evaluator();
    }

    private final class Evaluator implements HealthEvaluatorLink {
        @Override
        public void setGateways(List<String> addresses) {}

        @Override
        public void watch(Collection<Watch> watches) {
            watches.forEach(watch -> requested.add("watch " + watch.attempt()));
        }

        @Override
        public void unwatch(Collection<NodeId> nodes) {
            requested.add("unwatch");
        }

        @Override
        public void close() {}
    }
}
