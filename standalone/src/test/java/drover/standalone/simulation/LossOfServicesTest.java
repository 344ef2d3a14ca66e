package drover.standalone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.CreationRequest.StrategyName;
import drover.coordinator.plan.NodeState;
import drover.coordinator.plan.OperatorRequest;
import drover.coordinator.plan.PauseReason;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.RolloutState;
import drover.coordinator.plan.Timings;
import drover.coordinator.store.HistoryRow;
import drover.gateway.Faults;
import drover.kit.log.Logging;
import drover.model.RolloutId;
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
class LossOfServicesTest {
    private static final int NODES = Faults.FULL_SUITE ? 1_000 : 200;
    private static final Duration LOST_FOR = Duration.ofMinutes(2);
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int MOST_MOMENTS = 600;
    private static final Duration ROUND = Duration.ofSeconds(20);
    private static final int MOST_ROUNDS = 180; // one hour

    /** A lost service. */
    @SuppressWarnings("ImmutableEnumChecker") // the functions capture nothing
    enum Loss {
        POSTGRESQL(
                world -> world.coordinators.forEach(one -> one.storeAway(true)),
                world -> world.coordinators.forEach(one -> one.storeAway(false))),
        ETCD(World::electNone, world -> world.elect(1)),
        EVALUATOR(world -> world.evaluator.crash(), world -> world.evaluator.restart()),
        ALL_GATEWAYS(
                world -> world.gateways.forEach(SimulatedGateway::crash),
                world -> world.gateways.forEach(SimulatedGateway::restart));

        private final Consumer<World> begin;
        private final Consumer<World> end;

        Loss(Consumer<World> begin, Consumer<World> end) {
            this.begin = begin;
            this.end = end;
        }
    }

    private final World world =
            new World(1, new World.Size(NODES, 3, 2, List.of(Product.APP)), Timings.STANDARD);
    private final Safety safety = new Safety(world);
    private final List<PauseReason> pauses = new ArrayList<>();

    @BeforeAll
    static void doNotLogExpectedFailures() {
        Logging.silent();
    }

    @AfterAll
    static void logAgain() {
        Logging.quiet();
    }

    @BeforeEach
    void startWorld() {
        world.start(safety);
    }

    @ParameterizedTest
    @DisplayName("R3: no node fails, no threshold pauses the rollout, and it completes")
    @EnumSource
    void noNodeFailsAndTheRolloutCompletes(Loss loss) {
        pass(Duration.ofSeconds(30)); // agents connect
        RolloutId id = start();
        awaitAllInFlight(id);

        loss.begin.accept(world);
        pass(LOST_FOR);
        loss.end.accept(world);
        awaitEnd(id);

        Rollout ended = rollout(id);
        assertThat(ended.state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(ended.nodes().values())
                .hasSize(NODES)
                .allMatch(node -> node.state() instanceof NodeState.Succeeded)
                .allMatch(node -> world.installed(ended, node.id()) == 2);
        assertThat(world.store.history(id))
                .as("no node was ever counted as failed")
                .filteredOn(row -> !row.node().isEmpty())
                .extracting(HistoryRow::to)
                .doesNotContain("failed", "failed_rollback", "unhealthy", "unreachable");
        assertThat(pauses)
                .as("pauses because of missing data, which an operator resumes")
                .isSubsetOf(PauseReason.BLIND, PauseReason.HEALTH_UNAVAILABLE);
    }

    private RolloutId start() {
        Plans.Wish wish =
                new Plans.Wish(
                        StrategyName.ROLLING,
                        NODES,
                        0,
                        new Plans.Limits(0, 0, NODES, 0),
                        false,
                        false,
                        false,
                        false);
        RolloutId id = Objects.requireNonNull(world.create(Plans.request(wish, 2)));
        world.ask(id, new OperatorRequest.Start(), World.SECOND);
        return id;
    }

    private void awaitAllInFlight(RolloutId id) {
        for (int moment = 0; moment < MOST_MOMENTS; moment++) {
            if (rollout(id).nodes().values().stream().allMatch(StateFacts::isInFlight)) {
                return;
            }
            pass(MOMENT);
        }
        throw new AssertionError("not all nodes are in flight: " + rollout(id).counters());
    }

    private void awaitEnd(RolloutId id) {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            pass(ROUND);
            RolloutState state = rollout(id).state();
            if (StateFacts.hasEnded(state)) {
                return;
            }
            if (state instanceof RolloutState.Paused paused) {
                pauses.add(paused.reason());
                assertThat(Set.of(PauseReason.BLIND, PauseReason.HEALTH_UNAVAILABLE))
                        .contains(paused.reason());
                world.ask(id, new OperatorRequest.Resume(0), World.CREATOR);
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
            more = world.time.step(until);
        }
        assertThat(safety.violations()).isEmpty();
        assertThat(world.bugs).isEmpty();
    }
}
