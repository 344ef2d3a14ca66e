package drover.simulation;

import drover.coordinator.plan.group.GroupStateNames;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.simulation.faults.FaultInjector;
import drover.simulation.rules.SafetyInvariants;
import drover.simulation.rules.UnfinishedWorkCheck;
import drover.simulation.world.SeededRandom;
import drover.simulation.world.SimulatedGroupOperator;
import drover.simulation.world.SimulatedOperator;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One seed from beginning to end: faults and a restless operator first, during which everything
 * that must always hold is looked at after every event; then calm, in which everything must come to
 * an end or to a pause that says what it waits for (C12, A18).
 */
public final class Simulation {
    private static final Duration MIN_FAULT_PHASE = Duration.ofMinutes(3);
    private static final Duration MAX_FAULT_PHASE = Duration.ofMinutes(8);
    private static final Duration ROUND = Duration.ofSeconds(20); // of the helpful operator
    private static final int MOST_ROUNDS = 900; // five hours: well over every deadline
    private static final int MOST_HELP = 12; // then a rollout may wait for another person

    /** Where nobody helps, and everything that waits for people gives up within minutes (A18). */
    private static final RolloutTimeouts SHORT_TIMINGS =
            new RolloutTimeouts(
                    RolloutTimeouts.STANDARD.accept(),
                    RolloutTimeouts.STANDARD.work(),
                    RolloutTimeouts.STANDARD.blindGrace(),
                    Duration.ofSeconds(90),
                    RolloutTimeouts.STANDARD.offlineGrace(),
                    Duration.ofMinutes(6),
                    Duration.ofMinutes(4));

    private final long seed;
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final FaultInjector injector;
    private final SimulatedOperator operator;
    private final SimulatedGroupOperator groups;
    private final UnfinishedWorkCheck inFlight;
    private final boolean shortDeadlines;
    private long events;

    private Simulation(long seed) {
        this.seed = seed;
        SeededRandom size = new SeededRandom(~seed);
        this.shortDeadlines = size.nextBooleanPercent(12);
        boolean grouped = new SeededRandom(Long.rotateLeft(seed, 17)).nextBooleanPercent(40);
        this.world =
                new SimulatedWorld(
                        seed,
                        new SimulatedWorld.Size(
                                1 + size.nextInt(5),
                                1 + size.nextInt(3),
                                1 + size.nextInt(3),
                                grouped
                                        ? List.of(SimulatedProgramDefinition.values())
                                        : List.of(SimulatedProgramDefinition.APP)),
                        shortDeadlines ? SHORT_TIMINGS : RolloutTimeouts.STANDARD);
        this.safety = new SafetyInvariants(world);
        world.start(safety);
        this.injector = new FaultInjector(world);
        this.operator = new SimulatedOperator(world);
        this.groups = new SimulatedGroupOperator(world);
        this.inFlight = new UnfinishedWorkCheck(world, shortDeadlines);
    }

    /**
     * What a story came to.
     *
     * @param ends how each rollout ended
     * @param counts how often each kind of request, fault and end there was
     */
    public record RunStatistics(
            long seed,
            List<String> ends,
            Map<String, Integer> counts,
            long events,
            Duration virtual) {
        public RunStatistics {
            ends = List.copyOf(ends);
            counts = Map.copyOf(counts);
        }
    }

    /**
     * Runs one seed.
     *
     * @throws SimulationFailed when something did not hold
     */
    public static RunStatistics run(long seed) {
        return run(seed, line -> {});
    }

    /** The same, telling every line of the story as it happens. */
    public static RunStatistics run(long seed, Consumer<String> listener) {
        Simulation simulation = new Simulation(seed);
        simulation.world.time.setLogListener(listener);
        return simulation.run();
    }

    private RunStatistics run() {
        try {
            return runPhases();
        } catch (SimulationFailed e) {
            throw e;
        } catch (RuntimeException | AssertionError e) {
            throw failed("something broke: " + e, e);
        }
    }

    private RunStatistics runPhases() {
        advanceAndCheck(Duration.ofSeconds(10));
        injector.start();
        operator.startRandomActions();
        if (world.products.size() > 1) {
            groups.startRandomActions();
        }
        advanceAndCheck(world.random.between(MIN_FAULT_PHASE, MAX_FAULT_PHASE));
        operator.stopRandomActions();
        groups.stopRandomActions();
        injector.stopAndRepair();
        runUntilAtRest();
        checkAtRest();
        checkObservations();
        List<String> ends =
                world.store.rollouts().stream()
                        .map(rollout -> StateNameFormatter.of(rollout.state()))
                        .toList();
        ends.forEach(end -> world.counts.count("end " + end));
        world.store
                .groups()
                .allGroups()
                .forEach(
                        group ->
                                world.counts.count(
                                        "end group " + GroupStateNames.of(group.state())));
        return new RunStatistics(
                seed, ends, world.counts.counts(), events, Duration.ofNanos(world.time.nanos()));
    }

    /** What is written down at the end, looked at as one looks at a real database. */
    private void checkObservations() {
        List<String> broken = safety.observations().findViolations();
        if (!broken.isEmpty()) {
            throw failed(String.join("; ", broken), null);
        }
    }

    private void advanceAndCheck(Duration length) {
        long until = world.time.nanos() + length.toNanos();
        while (world.time.runNextEventUntil(until)) {
            events++;
            checkInvariants();
        }
    }

    private void checkInvariants() {
        if (!world.bugs.isEmpty()) {
            throw failed("a loop failed by a bug", world.bugs.getFirst());
        }
        List<String> violations = safety.violations();
        if (!violations.isEmpty()) {
            throw failed(String.join("; ", violations), null);
        }
    }

    private void runUntilAtRest() {
        int helped = 0;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            advanceAndCheck(ROUND);
            if (!inFlight.hasUnfinishedWork()) {
                boolean done = shortDeadlines || helped >= MOST_HELP;
                if (done || !requestContinuation()) {
                    return;
                }
                helped++;
            }
        }
        throw failed(
                "C12, A18: after "
                        + ROUND.multipliedBy(MOST_ROUNDS).toHours()
                        + " hours without faults this has not come to rest: "
                        + describe(),
                null);
    }

    /** False when nobody could be helped on. */
    private boolean requestContinuation() {
        boolean rollouts = operator.requestContinuation();
        boolean grouped = groups.requestContinuation();
        return rollouts || grouped;
    }

    /** What is said is what is so, and no attempt is left open on a node that answers (R1). */
    private void checkAtRest() {
        advanceAndCheck(Duration.ofMinutes(2));
        if (!world.store.findOrphanedAttempts().isEmpty()) {
            throw failed("R1: attempts stay open: " + world.store.findOrphanedAttempts(), null);
        }
        if (!world.store.nodeRequests().findPending().isEmpty()) {
            throw failed("R4: requests about nodes are not decided", null);
        }
        safety.retirements().checkFinalState();
        checkInvariants();
        groups.findUnfinishedWork()
                .ifPresent(
                        what -> {
                            throw failed(what, null);
                        });
        List<Rollout> rollouts = world.store.rollouts();
        if (!rollouts.isEmpty() && rollouts.getLast().state() instanceof RolloutState.Completed) {
            rollouts.getLast()
                    .nodes()
                    .values()
                    .forEach(node -> requireRunsTargetIfSucceeded(rollouts.getLast(), node));
        }
    }

    /** A11: what counts as upgraded runs, unless a later rollout has been at it. */
    private void requireRunsTargetIfSucceeded(Rollout rollout, NodeUpgrade node) {
        boolean counted =
                node.state() instanceof NodeState.Succeeded && !world.node(node.id()).isScrapped();
        boolean there =
                world.node(node.id())
                        .machine
                        .runningPrograms()
                        .containsValue(rollout.spec().targetDigest());
        if (counted && !there) {
            throw failed("A11: node " + node.id() + " does not run what it succeeded with", null);
        }
    }

    private String describe() {
        return world.store.groups().allGroups().stream()
                        .map(group -> group.state() + "\n  ")
                        .collect(Collectors.joining())
                + world.store.rollouts().stream()
                        .map(
                                rollout ->
                                        rollout.state()
                                                + rollout.nodes().values().stream()
                                                        .map(
                                                                node ->
                                                                        "\n    "
                                                                                + node.id()
                                                                                + " batch "
                                                                                + node.batch()
                                                                                + (node.open()
                                                                                        ? " open "
                                                                                        : " ")
                                                                                + node.state())
                                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining("\n  "))
                + world.nodes.stream().map(node -> "\n  " + node).collect(Collectors.joining())
                + world.coordinators.stream()
                        .map(coordinator -> "\n  " + coordinator.describeView())
                        .collect(Collectors.joining());
    }

    private SimulationFailed failed(String what, @Nullable Throwable cause) {
        return new SimulationFailed(
                seed, what, world.time.formatNow(), world.time.recentLines(), cause);
    }
}
