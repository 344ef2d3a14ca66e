package drover.simulation.world;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.kit.log.Logging;
import drover.model.RolloutId;
import drover.simulation.rules.SafetyInvariants;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Gateways and leaders that come while everything runs, in virtual time: the real loops read a
 * registry that changes.
 */
class DynamicRegistryTest {
    private static final Duration TICK = Duration.ofSeconds(1); // a leader's round
    private static final Duration WAY = Duration.ofMillis(50); // a few messages of 5 ms at most
    private static final Duration LONG = Duration.ofMinutes(30);

    private final SimulatedWorld world =
            new SimulatedWorld(
                    1,
                    new SimulatedWorld.Size(3, 1, 2, List.of(SimulatedProgramDefinition.APP)),
                    RolloutTimeouts.STANDARD);

    @BeforeAll
    static void whatGoesWrongOnPurposeIsNotLogged() {
        Logging.disable();
    }

    @AfterAll
    static void whatGoesWrongElsewhereIs() {
        Logging.startWarningsOnly();
    }

    @BeforeEach
    void startWorld() {
        world.start(new SafetyInvariants(world));
    }

    private void pass(Duration length) {
        long until = world.time.nanos() + length.toNanos();
        while (world.time.runNextEventUntil(until)) {
            // one event after the other
        }
    }

    /** How long it takes until it is so; the whole patience when it never is. */
    private Duration until(BooleanSupplier isSo, Duration timeout) {
        long startedNanos = world.time.nanos();
        while (!isSo.getAsBoolean()
                && world.time.runNextEventUntil(startedNanos + timeout.toNanos())) {
            // one event after the other
        }
        return Duration.ofNanos(world.time.nanos() - startedNanos);
    }

    private SimulatedGateway comes(String id) {
        SimulatedGateway fresh = new SimulatedGateway(id, world);
        world.gateways.add(fresh);
        return fresh;
    }

    private SimulatedCoordinator coordinator(int number) {
        return world.coordinators.get(number - 1);
    }

    @Test
    @DisplayName("D-127: a gateway that registers is the leader's within one tick, and works alone")
    void aNewGatewayIsInUseWithinOneTick() {
        pass(Duration.ofMinutes(5).plusMillis(1)); // just after a tick: the longest wait
        SimulatedGateway old = world.gateways.getFirst();
        assertThat(old.isLedBy(coordinator(1))).isTrue();

        SimulatedGateway fresh = comes("gateway-2");
        Duration took = until(() -> fresh.isLedBy(coordinator(1)), LONG);

        assertThat(took).isLessThanOrEqualTo(TICK.plus(WAY));
        old.crash();
        world.gateways.remove(old); // what it had registered is gone
        pass(Duration.ofMinutes(2)); // agents dial the new one
        RolloutId rollout = started();
        assertThat(until(() -> state(rollout) instanceof RolloutState.Completed, LONG))
                .as("every node is upgraded through the new one")
                .isLessThan(LONG);
    }

    @Test
    @DisplayName(
            "D-127: a new leader has every gateway within one tick, and the old one steps down")
    void aNewLeaderIsInUseWithinOneTick() {
        comes("gateway-2");
        pass(Duration.ofMinutes(5).plusMillis(1));
        RolloutId rollout = started();
        pass(Duration.ofSeconds(10));

        world.elect(1);
        Duration took =
                until(
                        () ->
                                !coordinator(1).leads()
                                        && world.gateways.stream()
                                                .allMatch(
                                                        gateway -> gateway.isLedBy(coordinator(2))),
                        LONG);

        assertThat(took).isLessThanOrEqualTo(TICK.plus(WAY));
        assertThat(until(() -> state(rollout) instanceof RolloutState.Completed, LONG))
                .as("and finishes what the other one began")
                .isLessThan(LONG);
    }

    private RolloutId started() {
        RolloutId rollout =
                Objects.requireNonNull(
                        world.tryCreateRollout(
                                CreationRequestFactory.rolloutRequest(
                                        CreationRequestFactory.RolloutChoice.rolling(3), 2)),
                        "was refused");
        world.submitRolloutRequest(rollout, new OperatorRequest.Start(), SimulatedWorld.CREATOR);
        return rollout;
    }

    private RolloutState state(RolloutId rollout) {
        return world.store.load(rollout).orElseThrow().rollout().state();
    }
}
