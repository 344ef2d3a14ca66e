package drover.simulation.faults;

import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.simulation.world.SeededRandom;
import drover.simulation.world.SimulatedCoordinator;
import drover.simulation.world.SimulatedEvaluator;
import drover.simulation.world.SimulatedGateway;
import drover.simulation.world.SimulatedNetwork.Conditions;
import drover.simulation.world.SimulatedNode;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.List;

/** All that goes wrong, drawn from the seed, and the calm afterwards. */
public final class FaultInjector {
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(2);

    private final SimulatedWorld world;
    private final SeededRandom random;
    private final RareFaultInjector rareFaults;
    private boolean stopped;

    public FaultInjector(SimulatedWorld world) {
        this.world = world;
        this.random = world.random;
        this.rareFaults = new RareFaultInjector(world, this);
    }

    /** Draws what this story's programs and network are like, and begins. */
    public void start() {
        world.network.setConditions(
                new Conditions(
                        random.nextInt(25),
                        random.nextInt(30),
                        random.between(Duration.ofMillis(5), SHORT)));
        int lostAnswers = random.nextInt(60);
        world.coordinators.forEach(
                coordinator -> coordinator.setLostCallsPerTenThousand(lostAnswers));
        for (SimulatedNode node : world.nodes) {
            node.machine.setSlow(random.nextBooleanPercent(20));
            for (int version = 2; version <= SimulatedWorld.RELEASES; version++) {
                if (random.nextBooleanPercent(15)) {
                    node.machine.setBehavior(
                            SimulatedProgramDefinition.APP, version, randomBadBehavior(random));
                }
            }
            if (world.products.contains(SimulatedProgramDefinition.STORE)
                    && world.lateFaultRandom.nextBooleanPercent(25)) {
                int version = 2 + world.lateFaultRandom.nextInt(SimulatedWorld.RELEASES - 1);
                node.machine.setBehavior(
                        SimulatedProgramDefinition.STORE,
                        version,
                        randomBadBehavior(world.lateFaultRandom));
            }
        }
        scheduleNextFault();
        rareFaults.start();
    }

    private static ProgramBehavior randomBadBehavior(SeededRandom chance) {
        return chance.pickOne(
                List.of(
                        ProgramBehavior.FALLS,
                        ProgramBehavior.FALLS,
                        ProgramBehavior.CANNOT_START,
                        ProgramBehavior.CANNOT_START,
                        ProgramBehavior.IGNORES_TERMINATION,
                        ProgramBehavior.IGNORES_TERMINATION,
                        ProgramBehavior.HANGS));
    }

    private void scheduleNextFault() {
        world.time.scheduleAfter(
                random.between(Duration.ofSeconds(1), Duration.ofSeconds(18)),
                () -> {
                    if (!stopped) {
                        injectFault();
                        scheduleNextFault();
                    }
                });
    }

    private Duration randomDuration() {
        return random.between(SHORT, LONG);
    }

    private void injectFault() {
        SimulatedNode node = random.pickOne(world.nodes);
        SimulatedGateway gateway = random.pickOne(world.gateways);
        SimulatedCoordinator coordinator = random.pickOne(world.coordinators);
        switch (random.nextInt(21)) {
            case 0 -> {
                count("agent killed");
                node.crash(random.nextBooleanPercent(50), randomDuration());
            }
            case 1, 2, 3 -> {
                boolean power = random.nextBooleanPercent(50);
                count(power ? "power lost at work" : "agent killed at work");
                node.machine.scheduleCrash(random.nextInt(120), power);
            }
            case 4 -> {
                count("stream broken");
                node.disconnectStream();
            }
            case 5 ->
                    disconnectNode(
                            node,
                            random.nextBooleanPercent(2)
                                    ? LONG.multipliedBy(60)
                                    : randomDuration());
            case 6 -> {
                count("program falls");
                node.machine.crashProgram();
            }
            case 7 -> failProbes(node, randomDuration());
            case 8 -> fillDisk(node, randomDuration());
            case 9 -> {
                count("wall clock wrong");
                node.machine.ticker.setClockError(Duration.ofMinutes(random.nextInt(120) - 60));
            }
            case 10 -> {
                count("gateway killed");
                gateway.crash();
                world.time.scheduleAfter(randomDuration(), gateway::restartIfDown);
            }
            case 11 -> partition(gateway.id, coordinator.id, randomDuration());
            case 12 -> partition(gateway.id, node.id.value(), randomDuration());
            case 13 -> {
                count("evaluator killed");
                world.evaluator.crash();
                world.time.scheduleAfter(randomDuration(), world.evaluator::restart);
            }
            case 14 -> partition(gateway.id, SimulatedEvaluator.NAME, randomDuration());
            case 15 -> {
                count("coordinator killed");
                coordinator.crash(randomDuration());
            }
            case 16, 17 -> electAnother(coordinator);
            case 18 -> disconnectStore(coordinator, randomDuration());
            case 19 -> {
                count("coordinator killed at a commit");
                coordinator.crashAtWrite(random.nextInt(4), randomDuration());
            }
            default -> {
                count("coordinator stands still");
                coordinator.freeze(randomDuration());
            }
        }
    }

    void count(String fault) {
        world.counts.count("fault " + fault);
    }

    private void electAnother(SimulatedCoordinator busy) {
        if (random.nextBooleanPercent(60)) {
            busy.freeze(randomDuration());
        }
        count("another coordinator elected");
        world.time.log("another coordinator is elected");
        world.elect(random.nextInt(world.coordinators.size()));
    }

    void disconnectNode(SimulatedNode node, Duration length) {
        count("node offline");
        world.time.log(node.id + " is cut off for " + length.toSeconds() + " s");
        world.network.disconnect(node.id.value());
        node.disconnectStream();
        world.time.scheduleAfter(length, () -> world.network.reconnect(node.id.value()));
    }

    private void partition(String one, String other, Duration length) {
        count("partition");
        world.time.log(one + " and " + other + " are parted for " + length.toSeconds() + " s");
        world.network.disconnect(one, other);
        world.time.scheduleAfter(length, () -> world.network.reconnect(one, other));
    }

    void failProbes(SimulatedNode node, Duration length) {
        count("probes fail");
        world.time.log(node.id + " fails its probes for " + length.toSeconds() + " s");
        node.machine.setProbesFailing(true);
        world.time.scheduleAfter(length, () -> node.machine.setProbesFailing(false));
    }

    private void fillDisk(SimulatedNode node, Duration length) {
        count("disk full");
        world.time.log(node.id + " has a full disk for " + length.toSeconds() + " s");
        node.machine.limitFreeSpace(random.nextInt(4_000));
        world.time.scheduleAfter(length, node.machine::removeSpaceLimit);
    }

    private void disconnectStore(SimulatedCoordinator coordinator, Duration length) {
        count("store away");
        world.time.log(coordinator.id + " loses the store for " + length.toSeconds() + " s");
        coordinator.setStoreUnavailable(true);
        world.time.scheduleAfter(length, () -> coordinator.setStoreUnavailable(false));
    }

    /** Nothing goes wrong any more, and all but the evaluator is up again in any case. */
    public void stopAndRepair() {
        stopped = true;
        rareFaults.stop();
        world.time.log("the faults are over");
        world.network.setConditions(Conditions.FAIR);
        world.network.reconnectAll();
        world.gateways.forEach(SimulatedGateway::restartIfDown);
        world.evaluator.restart();
        world.coordinators.forEach(
                coordinator -> {
                    coordinator.setStoreUnavailable(false);
                    coordinator.setLostCallsPerTenThousand(0);
                    coordinator.crashAtWrite(-1, Duration.ZERO);
                });
        for (SimulatedNode node : world.nodes) {
            node.machine.setSlow(false);
            node.machine.setProbesFailing(false);
            node.machine.removeSpaceLimit();
            node.machine.scheduleCrash(-1, false);
        }
        rareFaults.maybeStartEvaluatorOutage();
    }
}
