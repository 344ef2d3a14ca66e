package drover.standalone.simulation;

import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.Stage;
import java.time.Duration;

/** Faults that look for their moment, or of which a story has one at the most. */
final class SeldomFaults {
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration GATE_SEEN = Duration.ofSeconds(4);

    private final World world;
    private final Storm storm;
    private final Chance luck;
    private boolean over;

    SeldomFaults(World world, Storm storm) {
        this.world = world;
        this.storm = storm;
        this.luck = world.luck;
    }

    void begin() {
        if (world.products.size() > 1) {
            nextAtGate();
        }
        if (world.nodes.size() > 1 && luck.percent(20)) {
            world.time.after(luck.between(SHORT, LONG.multipliedBy(2)), this::scrap);
        }
    }

    void end() {
        over = true;
    }

    /**
     * In the storm leaders change too often to hold a silence of two minutes against anybody; so
     * some begin when it is over.
     */
    void outlast() {
        Chance silence = world.silence;
        if (silence.percent(10)) {
            silent(silence.percent(50), silence.between(LONG, LONG.multipliedBy(6)));
        }
    }

    private void silent(boolean away, Duration length) {
        storm.count(away ? "evaluator away for long" : "evaluator deaf for long");
        world.time.tell("the evaluator is not heard for " + length.toSeconds() + " s");
        if (away) {
            world.evaluator.crash();
            world.time.after(length, world.evaluator::restart);
        } else {
            for (SimulatedGateway gateway : world.gateways) {
                world.network.cut(gateway.id, SimulatedEvaluator.NAME);
                world.time.after(
                        length, () -> world.network.mend(gateway.id, SimulatedEvaluator.NAME));
            }
        }
    }

    /** A machine breaks for good, and somebody says so when nobody hears of it any more. */
    private void scrap() {
        SimulatedNode node = luck.one(world.nodes);
        storm.count("node scrapped");
        world.time.tell(node.id + " is scrapped");
        node.scrap();
        world.time.after(luck.between(SHORT, LONG.multipliedBy(2)), () -> world.retire(node));
    }

    /**
     * A gate is passed within seconds: faults that shall meet one must look for it, and outlast the
     * three heartbeats of an idle agent after which it is shut.
     */
    private void nextAtGate() {
        world.time.after(
                GATE_SEEN,
                () -> {
                    if (!over) {
                        if (isAtGate() && luck.percent(30)) {
                            strikeAtGate(luck.one(world.nodes));
                        }
                        nextAtGate();
                    }
                });
    }

    private boolean isAtGate() {
        return world.store.groups().all().stream()
                .anyMatch(
                        group ->
                                group.state() instanceof GroupState.Running running
                                        && running.stage() == Stage.GATE);
    }

    private void strikeAtGate(SimulatedNode node) {
        storm.count("gate struck");
        Duration length = luck.between(LONG, LONG.multipliedBy(3));
        if (luck.percent(70)) {
            storm.sick(node, length);
        } else {
            storm.offline(node, length);
        }
    }
}
