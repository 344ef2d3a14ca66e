package drover.simulation.faults;

import drover.coordinator.plan.group.GroupStage;
import drover.coordinator.plan.group.GroupState;
import drover.simulation.world.SeededRandom;
import drover.simulation.world.SimulatedEvaluator;
import drover.simulation.world.SimulatedGateway;
import drover.simulation.world.SimulatedNode;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;

/** Faults that look for their moment, or of which a story has one at the most. */
final class RareFaults {
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration GATE_POLL_INTERVAL = Duration.ofSeconds(4);

    private final SimulatedWorld world;
    private final FaultInjector injector;
    private final SeededRandom random;
    private boolean stopped;

    RareFaults(SimulatedWorld world, FaultInjector storm) {
        this.world = world;
        this.injector = storm;
        this.random = world.lateFaultRandom;
    }

    void start() {
        if (world.products.size() > 1) {
            scheduleGateFaults();
        }
        if (world.nodes.size() > 1 && random.nextBoolean(20)) {
            world.time.after(random.between(SHORT, LONG.multipliedBy(2)), this::scrap);
        }
    }

    void stop() {
        stopped = true;
    }

    /**
     * In the storm leaders change too often to hold a silence of two minutes against anybody; so
     * some begin when it is over.
     */
    void startEvaluatorOutage() {
        SeededRandom random = world.evaluatorOutageRandom;
        if (random.nextBoolean(10)) {
            injectEvaluatorOutage(
                    random.nextBoolean(50), random.between(LONG, LONG.multipliedBy(6)));
        }
    }

    private void injectEvaluatorOutage(boolean unavailable, Duration length) {
        injector.count(unavailable ? "evaluator away for long" : "evaluator deaf for long");
        world.time.log("the evaluator is not heard for " + length.toSeconds() + " s");
        if (unavailable) {
            world.evaluator.crash();
            world.time.after(length, world.evaluator::restart);
        } else {
            for (SimulatedGateway gateway : world.gateways) {
                world.network.disconnect(gateway.id, SimulatedEvaluator.NAME);
                world.time.after(
                        length, () -> world.network.reconnect(gateway.id, SimulatedEvaluator.NAME));
            }
        }
    }

    /** A machine breaks for good, and somebody says so when nobody hears of it any more. */
    private void scrap() {
        SimulatedNode node = random.pickOne(world.nodes);
        injector.count("node scrapped");
        world.time.log(node.id + " is scrapped");
        node.scrap();
        world.time.after(random.between(SHORT, LONG.multipliedBy(2)), () -> world.retire(node));
    }

    /**
     * A gate is passed within seconds: faults that shall meet one must look for it, and outlast the
     * three heartbeats of an idle agent after which it is shut.
     */
    private void scheduleGateFaults() {
        world.time.after(
                GATE_POLL_INTERVAL,
                () -> {
                    if (!stopped) {
                        if (isAtGate() && random.nextBoolean(30)) {
                            strikeAtGate(random.pickOne(world.nodes));
                        }
                        scheduleGateFaults();
                    }
                });
    }

    private boolean isAtGate() {
        return world.store.groups().allGroups().stream()
                .anyMatch(
                        group ->
                                group.state() instanceof GroupState.Running running
                                        && running.stage() == GroupStage.GATE);
    }

    private void strikeAtGate(SimulatedNode node) {
        injector.count("gate struck");
        Duration length = random.between(LONG, LONG.multipliedBy(3));
        if (random.nextBoolean(70)) {
            injector.failProbes(node, length);
        } else {
            injector.disconnectNode(node, length);
        }
    }
}
