package drover.simulation.faults;

import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.model.NodeId;
import drover.simulation.world.SeededRandom;
import drover.simulation.world.SimulatedEvaluator;
import drover.simulation.world.SimulatedGateway;
import drover.simulation.world.SimulatedMachine;
import drover.simulation.world.SimulatedNode;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Faults that look for their moment, or of which a story has one at the most. */
final class RareFaultInjector {
    private static final Duration SHORT = Duration.ofSeconds(5);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration GATE_POLL_INTERVAL = Duration.ofSeconds(4);

    private final SimulatedWorld world;
    private final FaultInjector injector;
    private final SeededRandom random;
    private boolean stopped;

    RareFaultInjector(SimulatedWorld world, FaultInjector storm) {
        this.world = world;
        this.injector = storm;
        this.random = world.lateFaultRandom;
    }

    void start() {
        if (world.products.size() > 1) {
            scheduleGateFaults();
        }
        scheduleRestoreFaults();
        scheduleHealthFault();
        if (world.inodeFaultRandom.nextBooleanPercent(40)) {
            scheduleInodeFault();
        }
        if (world.nodes.size() > 1 && random.nextBooleanPercent(20)) {
            world.time.scheduleAfter(
                    random.between(SHORT, LONG.multipliedBy(2)), this::scrapRandomNode);
        }
    }

    void stop() {
        stopped = true;
    }

    /**
     * In the storm leaders change too often to hold a silence of two minutes against anybody; so
     * some begin when it is over.
     */
    void maybeStartEvaluatorOutage() {
        SeededRandom random = world.evaluatorOutageRandom;
        if (random.nextBooleanPercent(10)) {
            injectEvaluatorOutage(
                    random.nextBooleanPercent(50), random.between(LONG, LONG.multipliedBy(6)));
        }
    }

    private void injectEvaluatorOutage(boolean unavailable, Duration length) {
        injector.count(unavailable ? "evaluator away for long" : "evaluator deaf for long");
        world.time.log("the evaluator is not heard for " + length.toSeconds() + " s");
        if (unavailable) {
            world.evaluator.crash();
            world.time.scheduleAfter(length, world.evaluator::restart);
        } else {
            for (SimulatedGateway gateway : world.gateways) {
                world.network.disconnect(gateway.id, SimulatedEvaluator.NAME);
                world.time.scheduleAfter(
                        length, () -> world.network.reconnect(gateway.id, SimulatedEvaluator.NAME));
            }
        }
    }

    /** A machine breaks for good, and somebody says so when nobody hears of it any more. */
    private void scrapRandomNode() {
        SimulatedNode node = random.pickOne(world.nodes);
        injector.count("node scrapped");
        world.time.log(node.id + " is scrapped");
        node.scrap();
        world.time.scheduleAfter(
                random.between(SHORT, LONG.multipliedBy(2)), () -> world.retireOnceOffline(node));
    }

    /**
     * A gate is passed within seconds: faults that shall meet one must look for it, and outlast the
     * three heartbeats of an idle agent after which it is shut.
     */
    private void scheduleGateFaults() {
        world.time.scheduleAfter(
                GATE_POLL_INTERVAL,
                () -> {
                    if (!stopped) {
                        if (isAnyGroupAtGate() && random.nextBooleanPercent(30)) {
                            injectGateFault(random.pickOne(world.nodes));
                        }
                        scheduleGateFaults();
                    }
                });
    }

    /**
     * Fills the disk of a node during a rollback, so that the node rejects its restore. Restores
     * are short, so this polls for one.
     */
    private void scheduleRestoreFaults() {
        world.time.scheduleAfter(
                GATE_POLL_INTERVAL,
                () -> {
                    if (!stopped) {
                        findRandomModifiedNode().ifPresent(this::fillDiskDuringRollback);
                        maybeFailCompensation();
                        scheduleRestoreFaults();
                    }
                });
    }

    private void fillDiskDuringRollback(SimulatedNode node) {
        injector.count("disk full in a rollback");
        world.time.log(node.id + " has a full disk in a rollback");
        node.machine.limitFreeSpace(0);
        world.time.scheduleAfter(
                world.restoreFaultRandom.between(SHORT, LONG), node.machine::removeSpaceLimit);
    }

    /** Takes the inodes of a node for a while. Sometimes the power fails in the meantime. */
    private void scheduleInodeFault() {
        SeededRandom random = world.inodeFaultRandom;
        world.time.scheduleAfter(
                random.between(SHORT, LONG),
                () -> {
                    if (!stopped) {
                        useUpInodes(random.pickOne(world.nodes), random);
                        scheduleInodeFault();
                    }
                });
    }

    private void useUpInodes(SimulatedNode node, SeededRandom random) {
        boolean power = random.nextBooleanPercent(50);
        injector.count(power ? "state directory full, then power lost" : "state directory full");
        world.time.log(node.id + " has no free inode");
        node.machine.limitFreeInodes(random.nextBooleanPercent(70) ? 0 : random.nextInt(8));
        if (power) {
            node.machine.scheduleCrash(random.nextInt(60), true);
        }
        world.time.scheduleAfter(random.between(SHORT, LONG), node.machine::removeSpaceLimit);
    }

    /**
     * Picks a node that a rollback has not restored yet; usually empty, so that most rollbacks meet
     * no fault.
     */
    private Optional<SimulatedNode> findRandomModifiedNode() {
        List<NodeId> modified =
                world.store.rollouts().stream()
                        .filter(rollout -> rollout.state() instanceof RolloutState.RollingBack)
                        .flatMap(rollout -> rollout.nodes().values().stream())
                        .filter(node -> node.installedBy() != 0)
                        .map(NodeUpgrade::id)
                        .toList();
        return modified.isEmpty() || !world.restoreFaultRandom.nextBooleanPercent(30)
                ? Optional.empty()
                : Optional.of(world.node(world.restoreFaultRandom.pickOne(modified)));
    }

    /** Lets an upgrade fail that its agent cannot undo: the target stays installed. */
    private void maybeFailCompensation() {
        List<Rollout> running =
                world.store.rollouts().stream()
                        .filter(rollout -> rollout.state() instanceof RolloutState.Running)
                        .toList();
        if (running.isEmpty() || !world.compensationFaultRandom.nextBooleanPercent(3)) {
            return;
        }
        Rollout rollout = world.compensationFaultRandom.pickOne(running);
        NodeId node = world.compensationFaultRandom.pickOne(List.copyOf(rollout.nodes().keySet()));
        SimulatedProgramDefinition product =
                SimulatedProgramDefinition.named(rollout.spec().binary());
        int version = SimulatedProgramDefinition.number(rollout.spec().targetVersion().value());
        injector.count("read-only directory in a compensation");
        world.time.log(node + " cannot restore " + product + " when v" + version + " fails");
        SimulatedMachine machine = world.node(node).machine;
        machine.failUpgradeAndRestore(product, version);
        world.time.scheduleAfter(
                world.compensationFaultRandom.between(SHORT.multipliedBy(4), LONG),
                () -> machine.repair(product, version));
    }

    /** A node that an active rollout has modified or restored becomes unhealthy for long. */
    private void scheduleHealthFault() {
        world.time.scheduleAfter(
                GATE_POLL_INTERVAL,
                () -> {
                    if (!stopped) {
                        if (world.healthFaultRandom.nextBooleanPercent(20)) {
                            injectHealthFault();
                        }
                        scheduleHealthFault();
                    }
                });
    }

    private void injectHealthFault() {
        List<NodeId> modified =
                world.store.rollouts().stream()
                        .filter(rollout -> !(rollout.state() instanceof RolloutState.Ended))
                        .flatMap(rollout -> rollout.nodes().values().stream())
                        .filter(node -> isModified(node.state()))
                        .map(NodeUpgrade::id)
                        .toList();
        if (!modified.isEmpty()) {
            injector.count("node unhealthy for long");
            injector.failProbes(
                    world.node(world.healthFaultRandom.pickOne(modified)),
                    world.healthFaultRandom.between(LONG, LONG.multipliedBy(3)));
        }
    }

    private static boolean isModified(NodeState state) {
        return state instanceof NodeState.Succeeded
                || state instanceof NodeState.Restoring
                || state instanceof NodeState.Restored
                || state instanceof NodeState.RolledBack;
    }

    private boolean isAnyGroupAtGate() {
        return world.store.groups().allGroups().stream()
                .anyMatch(
                        group ->
                                group.state() instanceof GroupState.Running running
                                        && running.stage() == RunningGroupStage.GATE);
    }

    private void injectGateFault(SimulatedNode node) {
        injector.count("gate struck");
        Duration length = random.between(LONG, LONG.multipliedBy(3));
        if (random.nextBooleanPercent(70)) {
            injector.failProbes(node, length);
        } else {
            injector.disconnectNode(node, length);
        }
    }
}
