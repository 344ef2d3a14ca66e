package drover.standalone.simulation;

import drover.opsagent.runtime.SimulatedProcesses.Behaviour;
import drover.standalone.simulation.SimulatedNetwork.Weather;
import java.time.Duration;
import java.util.List;

/** All that goes wrong, drawn from the seed, and the calm afterwards. */
final class Storm {
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(2);

    private final World world;
    private final Chance chance;
    private final SeldomFaults seldom;
    private boolean over;

    Storm(World world) {
        this.world = world;
        this.chance = world.chance;
        this.seldom = new SeldomFaults(world, this);
    }

    /** Draws what this story's programs and network are like, and begins. */
    void begin() {
        world.network.weather(
                new Weather(
                        chance.nextInt(25),
                        chance.nextInt(30),
                        chance.between(Duration.ofMillis(5), SHORT)));
        int lostAnswers = chance.nextInt(60);
        world.coordinators.forEach(coordinator -> coordinator.lostAnswers(lostAnswers));
        for (SimulatedNode node : world.nodes) {
            node.machine.slow(chance.percent(20));
            for (int version = 2; version <= World.RELEASES; version++) {
                if (chance.percent(15)) {
                    node.machine.behaves(Product.APP, version, badBehaviour(chance));
                }
            }
            if (world.products.contains(Product.STORE) && world.luck.percent(25)) {
                int version = 2 + world.luck.nextInt(World.RELEASES - 1);
                node.machine.behaves(Product.STORE, version, badBehaviour(world.luck));
            }
        }
        next();
        seldom.begin();
    }

    private static Behaviour badBehaviour(Chance chance) {
        return chance.one(
                List.of(
                        Behaviour.FALLS,
                        Behaviour.FALLS,
                        Behaviour.CANNOT_START,
                        Behaviour.CANNOT_START,
                        Behaviour.IGNORES_TERMINATION,
                        Behaviour.IGNORES_TERMINATION,
                        Behaviour.HANGS));
    }

    private void next() {
        world.time.after(
                chance.between(Duration.ofSeconds(1), Duration.ofSeconds(18)),
                () -> {
                    if (!over) {
                        strike();
                        next();
                    }
                });
    }

    private Duration some() {
        return chance.between(SHORT, LONG);
    }

    private void strike() {
        SimulatedNode node = chance.one(world.nodes);
        SimulatedGateway gateway = chance.one(world.gateways);
        SimulatedCoordinator coordinator = chance.one(world.coordinators);
        switch (chance.nextInt(21)) {
            case 0 -> {
                count("agent killed");
                node.crash(chance.percent(50), some());
            }
            case 1, 2, 3 -> {
                boolean power = chance.percent(50);
                count(power ? "power lost at work" : "agent killed at work");
                node.machine.crashAfter(chance.nextInt(120), power);
            }
            case 4 -> {
                count("stream broken");
                node.hangUp();
            }
            case 5 -> offline(node, chance.percent(2) ? LONG.multipliedBy(60) : some());
            case 6 -> {
                count("program falls");
                node.machine.fallOver();
            }
            case 7 -> sick(node, some());
            case 8 -> full(node, some());
            case 9 -> {
                count("wall clock wrong");
                node.machine.ticker.wrongBy(Duration.ofMinutes(chance.nextInt(120) - 60));
            }
            case 10 -> {
                count("gateway killed");
                gateway.crash();
                world.time.after(some(), gateway::restart);
            }
            case 11 -> partition(gateway.id, coordinator.id, some());
            case 12 -> partition(gateway.id, node.id.value(), some());
            case 13 -> {
                count("evaluator killed");
                world.evaluator.crash();
                world.time.after(some(), world.evaluator::restart);
            }
            case 14 -> partition(gateway.id, SimulatedEvaluator.NAME, some());
            case 15 -> {
                count("coordinator killed");
                coordinator.crash(some());
            }
            case 16, 17 -> takeOver(coordinator);
            case 18 -> storeAway(coordinator, some());
            case 19 -> {
                count("coordinator killed at a commit");
                coordinator.crashAtWrite(chance.nextInt(4), some());
            }
            default -> {
                count("coordinator stands still");
                coordinator.standStill(some());
            }
        }
    }

    void count(String fault) {
        world.tally.count("fault " + fault);
    }

    private void takeOver(SimulatedCoordinator busy) {
        if (chance.percent(60)) {
            busy.standStill(some());
        }
        count("another coordinator elected");
        world.time.tell("another coordinator is elected");
        world.elect(chance.nextInt(world.coordinators.size()));
    }

    void offline(SimulatedNode node, Duration length) {
        count("node offline");
        world.time.tell(node.id + " is cut off for " + length.toSeconds() + " s");
        world.network.cut(node.id.value());
        node.hangUp();
        world.time.after(length, () -> world.network.mend(node.id.value()));
    }

    private void partition(String one, String other, Duration length) {
        count("partition");
        world.time.tell(one + " and " + other + " are parted for " + length.toSeconds() + " s");
        world.network.cut(one, other);
        world.time.after(length, () -> world.network.mend(one, other));
    }

    void sick(SimulatedNode node, Duration length) {
        count("probes fail");
        world.time.tell(node.id + " fails its probes for " + length.toSeconds() + " s");
        node.machine.sick(true);
        world.time.after(length, () -> node.machine.sick(false));
    }

    private void full(SimulatedNode node, Duration length) {
        count("disk full");
        world.time.tell(node.id + " has a full disk for " + length.toSeconds() + " s");
        node.machine.fill(chance.nextInt(4_000));
        world.time.after(length, node.machine::freeUp);
    }

    private void storeAway(SimulatedCoordinator coordinator, Duration length) {
        count("store away");
        world.time.tell(coordinator.id + " loses the store for " + length.toSeconds() + " s");
        coordinator.storeAway(true);
        world.time.after(length, () -> coordinator.storeAway(false));
    }

    /** Nothing goes wrong any more, and all but the evaluator is up again in any case. */
    void end() {
        over = true;
        seldom.end();
        world.time.tell("the faults are over");
        world.network.weather(Weather.FAIR);
        world.network.mendAll();
        world.gateways.forEach(SimulatedGateway::restart);
        world.evaluator.restart();
        world.coordinators.forEach(
                coordinator -> {
                    coordinator.storeAway(false);
                    coordinator.lostAnswers(0);
                    coordinator.crashAtWrite(-1, Duration.ZERO);
                });
        for (SimulatedNode node : world.nodes) {
            node.machine.slow(false);
            node.machine.sick(false);
            node.machine.freeUp();
            node.machine.crashAfter(-1, false);
        }
        seldom.outlast();
    }
}
