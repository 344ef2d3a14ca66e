package drover.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.kit.log.Logging;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.simulation.rules.SafetyInvariants;
import drover.simulation.world.CreationRequestFactory;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * F3: the agent counts for how long its program has been healthy, so that the loss of an evaluator
 * does not start the soak time again. Runs in virtual time.
 */
class EvaluatorOutageTest {
    private static final int NODES = 2;
    private static final Duration SOAK_TIME = Duration.ofSeconds(60);
    private static final Duration KILLED_AT = Duration.ofSeconds(54); // 90 %
    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(3);
    private static final Duration RESTARTS_AFTER = Duration.ofSeconds(1);
    private static final Duration TWO_HEARTBEATS = Duration.ofSeconds(10);
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int MAX_STEPS = 10 * 60 * 10; // ten minutes

    @BeforeAll
    static void doNotLogExpectedFailures() {
        Logging.disable();
    }

    @AfterAll
    static void logAgain() {
        Logging.startWarningsOnly();
    }

    @ParameterizedTest(name = "seed {0}")
    @DisplayName("F3: killed at 90 % of the soak time and again: at most two heartbeats late")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void succeedsAtMostTwoHeartbeatsLate(long seed) {
        Map<NodeId, Duration> undisturbed = new Run(seed, false).soakTimes();
        Map<NodeId, Duration> disturbed = new Run(seed, true).soakTimes();

        assertThat(undisturbed).hasSize(NODES);
        assertThat(disturbed).hasSameSizeAs(undisturbed);
        disturbed.forEach(
                (node, took) ->
                        assertThat(took)
                                .as("%s, undisturbed %s", node, undisturbed.get(node))
                                .isGreaterThanOrEqualTo(KILLED_AT)
                                .isLessThanOrEqualTo(
                                        Objects.requireNonNull(undisturbed.get(node))
                                                .plus(TWO_HEARTBEATS)));
    }

    /** A rollout of two nodes, one after the other. */
    private static final class Run {
        private final boolean kills;
        private final SimulatedWorld world;
        private final SafetyInvariants safety;
        private final Map<NodeId, Long> settlingSince = new HashMap<>();
        private final Map<NodeId, Duration> soakTimes = new HashMap<>();
        private final Set<NodeId> disturbed = new HashSet<>();
        private int killed;

        Run(long seed, boolean kills) {
            this.kills = kills;
            this.world =
                    new SimulatedWorld(
                            seed,
                            new SimulatedWorld.Size(
                                    NODES, 1, 1, List.of(SimulatedProgramDefinition.APP)),
                            RolloutTimeouts.STANDARD);
            this.safety = new SafetyInvariants(world);
            world.start(safety);
        }

        /** How long each node took from settling to success. */
        Map<NodeId, Duration> soakTimes() {
            pass(Duration.ofSeconds(30));
            RolloutId id =
                    Objects.requireNonNull(
                            world.tryCreateRollout(
                                    CreationRequestFactory.rolloutRequest(
                                            CreationRequestFactory.RolloutChoice.rolling(1),
                                            SimulatedProgramDefinition.APP,
                                            2,
                                            SOAK_TIME)));
            world.submitRolloutRequest(id, new OperatorRequest.Start(), SimulatedWorld.SECOND);
            for (int moment = 0; moment < MAX_STEPS && soakTimes.size() < NODES; moment++) {
                pass(MOMENT);
                rollout(id).nodes().values().forEach(this::poll);
            }
            assertThat(killed).isEqualTo(kills ? 2 * NODES : 0);
            return soakTimes;
        }

        private void poll(NodeUpgrade node) {
            long now = world.time.nanos();
            if (node.state() instanceof NodeState.Settling) {
                long since = settlingSince.computeIfAbsent(node.id(), _ -> now);
                if (kills && now - since >= KILLED_AT.toNanos() && disturbed.add(node.id())) {
                    kill();
                    world.time.scheduleAfter(BETWEEN_KILLS, this::kill);
                }
            }
            Long since = settlingSince.get(node.id());
            if (since != null && node.state() instanceof NodeState.Succeeded) {
                soakTimes.putIfAbsent(node.id(), Duration.ofNanos(now - since));
            }
        }

        private void kill() {
            killed++;
            world.evaluator.crash();
            world.time.scheduleAfter(RESTARTS_AFTER, world.evaluator::restart);
        }

        private Rollout rollout(RolloutId id) {
            return world.store.load(id).orElseThrow().rollout();
        }

        private void pass(Duration length) {
            long until = world.time.nanos() + length.toNanos();
            boolean more = true;
            while (more) {
                more = world.time.runNextEventUntil(until);
            }
            assertThat(safety.violations()).isEmpty();
            assertThat(world.bugs).isEmpty();
        }
    }
}
