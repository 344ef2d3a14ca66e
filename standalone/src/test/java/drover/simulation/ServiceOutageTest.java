package drover.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.gateway.Faults;
import drover.kit.log.Logging;
import drover.model.RolloutId;
import drover.simulation.rules.SafetyInvariants;
import drover.simulation.rules.StateClassification;
import drover.simulation.world.CreationRequestFactory;
import drover.simulation.world.SimulatedGateway;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R3: a service of the control plane is lost for two minutes while 1,000 nodes (200 in the default
 * suite) are in flight, in virtual time. Agents, gateways, coordinators and the evaluator run the
 * code of the product.
 */
class ServiceOutageTest {
    private static final int NODES = Faults.FULL_SUITE ? 1_000 : 200;
    private static final Duration OUTAGE_DURATION = Duration.ofMinutes(2);
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int MAX_STEPS = 600;
    private static final Duration ROUND = Duration.ofSeconds(20);
    private static final int MAX_ROUNDS = 180; // one hour

    /** A lost service. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions capture nothing
    enum Outage {
        POSTGRESQL(
                world -> world.coordinators.forEach(one -> one.setStoreUnavailable(true)),
                world -> world.coordinators.forEach(one -> one.setStoreUnavailable(false))),
        ETCD(SimulatedWorld::electNone, world -> world.elect(1)),
        EVALUATOR(world -> world.evaluator.crash(), world -> world.evaluator.restart()),
        ALL_GATEWAYS(
                world -> world.gateways.forEach(SimulatedGateway::crash),
                world -> world.gateways.forEach(SimulatedGateway::restartIfDown));

        private final Consumer<SimulatedWorld> start;
        private final Consumer<SimulatedWorld> end;

        Outage(Consumer<SimulatedWorld> start, Consumer<SimulatedWorld> end) {
            this.start = start;
            this.end = end;
        }
    }

    private final SimulatedWorld world =
            new SimulatedWorld(
                    1,
                    new SimulatedWorld.Size(NODES, 3, 2, List.of(SimulatedProgramDefinition.APP)),
                    RolloutTimeouts.STANDARD);
    private final SafetyInvariants safety = new SafetyInvariants(world);
    private final List<PauseReason> pauses = new ArrayList<>();

    @BeforeAll
    static void doNotLogExpectedFailures() {
        Logging.disable();
    }

    @AfterAll
    static void logAgain() {
        Logging.startWarningsOnly();
    }

    @BeforeEach
    void startWorld() {
        world.start(safety);
    }

    @ParameterizedTest
    @DisplayName("R3: no node fails, no threshold pauses the rollout, and it completes")
    @EnumSource
    void noNodeFailsAndTheRolloutCompletes(Outage loss) {
        pass(Duration.ofSeconds(30)); // agents connect
        RolloutId id = start();
        awaitAllInFlight(id);

        loss.start.accept(world);
        pass(OUTAGE_DURATION);
        loss.end.accept(world);
        awaitEnd(id);

        Rollout ended = rollout(id);
        assertThat(ended.state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(ended.nodes().values())
                .hasSize(NODES)
                .allMatch(node -> node.state() instanceof NodeState.Succeeded)
                .allMatch(node -> world.installedVersion(ended, node.id()) == 2);
        assertThat(world.store.history(id))
                .as("no node was ever counted as failed")
                .filteredOn(row -> !row.node().isEmpty())
                .extracting(HistoryEntry::to)
                .doesNotContain("failed", "failed_rollback", "unhealthy", "unreachable");
        assertThat(pauses)
                .as("pauses because of missing data, which an operator resumes")
                .isSubsetOf(PauseReason.NO_FLEET_VISIBILITY, PauseReason.HEALTH_UNAVAILABLE);
    }

    private RolloutId start() {
        CreationRequestFactory.RolloutChoice wish =
                new CreationRequestFactory.RolloutChoice(
                        StrategyName.ROLLING,
                        NODES,
                        0,
                        new CreationRequestFactory.RolloutLimits(0, 0, NODES, 0),
                        false,
                        false,
                        false,
                        false);
        RolloutId id =
                Objects.requireNonNull(
                        world.tryCreateRollout(CreationRequestFactory.rolloutRequest(wish, 2)));
        world.submitRolloutRequest(id, new OperatorRequest.Start(), SimulatedWorld.SECOND);
        return id;
    }

    private void awaitAllInFlight(RolloutId id) {
        for (int moment = 0; moment < MAX_STEPS; moment++) {
            if (rollout(id).nodes().values().stream().allMatch(StateClassification::isInFlight)) {
                return;
            }
            pass(MOMENT);
        }
        throw new AssertionError("not all nodes are in flight: " + rollout(id).counters());
    }

    private void awaitEnd(RolloutId id) {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            pass(ROUND);
            RolloutState state = rollout(id).state();
            if (StateClassification.hasEnded(state)) {
                return;
            }
            if (state instanceof RolloutState.Paused paused) {
                pauses.add(paused.reason());
                assertThat(Set.of(PauseReason.NO_FLEET_VISIBILITY, PauseReason.HEALTH_UNAVAILABLE))
                        .contains(paused.reason());
                world.submitRolloutRequest(
                        id, new OperatorRequest.Resume(0), SimulatedWorld.CREATOR);
            }
        }
        throw new AssertionError("the rollout does not end: " + rollout(id).state());
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
