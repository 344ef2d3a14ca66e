package drover.simulation.world;

import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.group.UnvalidatedGroupCreationRequest;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.model.GroupId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Whoever looks after groups: at random in the storm, helpful in the calm. */
public final class SimulatedGroupOperator {
    private static final int MOST_GROUPS = 3; // of one story
    private static final int MAX_RETRIES = 2; // times that a gate is asked anew before it is passed

    private final SimulatedWorld world;
    private final SeededRandom randomSource;
    private final Map<GroupId, Integer> helped = new HashMap<>();
    private final Set<GroupId> reconsidered = new HashSet<>();
    private boolean random = true;

    public SimulatedGroupOperator(SimulatedWorld world) {
        this.world = world;
        this.randomSource = world.lateFaultRandom;
    }

    /** Begins to act at random. */
    public void startRandomActions() {
        world.time.scheduleAfter(
                randomSource.between(Duration.ofSeconds(2), Duration.ofSeconds(25)),
                () -> {
                    if (random) {
                        actAtRandom();
                        startRandomActions();
                    }
                });
    }

    public void stopRandomActions() {
        random = false;
    }

    private void actAtRandom() {
        List<RolloutGroup> groups = world.store.groups().allGroups();
        boolean free =
                world.store.findChainOwner(SimulatedWorld.CHAIN).isEmpty()
                        || randomSource.nextBooleanPercent(3);
        if (free && groups.size() < MOST_GROUPS && randomSource.nextBooleanPercent(80)) {
            world.tryCreateGroup(randomCreation());
        } else if (!groups.isEmpty()) {
            RolloutGroup group =
                    randomSource.nextBooleanPercent(90)
                            ? groups.getLast()
                            : randomSource.pickOne(groups);
            GroupRequest request = randomRequest(group);
            world.submitGroupRequest(
                    group.id(),
                    request,
                    randomSource.nextBooleanPercent(10)
                            ? SimulatedWorld.CREATOR
                            : SimulatedWorld.SECOND);
        }
    }

    private UnvalidatedGroupCreationRequest randomCreation() {
        List<SimulatedProgramDefinition> order = new ArrayList<>(world.products);
        if (randomSource.nextBooleanPercent(50)) {
            order = order.reversed();
        }
        int components = randomSource.nextBooleanPercent(10) ? 1 : order.size();
        List<CreationRequestFactory.ComponentChoice> parts =
                order.stream()
                        .limit(components)
                        .map(
                                product ->
                                        new CreationRequestFactory.ComponentChoice(
                                                product,
                                                1 + randomSource.nextInt(SimulatedWorld.RELEASES),
                                                randomSource.nextBooleanPercent(60)
                                                        ? CreationRequestFactory.RolloutChoice
                                                                .rolling(
                                                                        1 + randomSource.nextInt(4))
                                                        : CreationRequestFactory.randomChoice(
                                                                randomSource),
                                                world.randomConduct()))
                        .toList();
        return CreationRequestFactory.groupRequest(
                randomSource.pickOne(List.of(GroupFailurePolicy.values())), parts);
    }

    private GroupRequest randomRequest(RolloutGroup group) {
        int failures = failuresToAcknowledge(group);
        if (group.state() instanceof GroupState.Ended && randomSource.nextBooleanPercent(15)) {
            return new GroupRequest.Rollback(); // second thoughts
        }
        return switch (randomSource.nextInt(16)) {
            case 0, 1, 2, 3 -> new GroupRequest.Start();
            case 4 -> new GroupRequest.Pause();
            case 5, 6 -> new GroupRequest.Resume(failures);
            case 7 -> new GroupRequest.Resume(randomSource.nextInt(2));
            case 8 ->
                    randomSource.nextBooleanPercent(15)
                            ? new GroupRequest.Cancel()
                            : startOrResume(group, failures);
            case 9, 10 ->
                    randomSource.nextBooleanPercent(15)
                            ? new GroupRequest.Rollback()
                            : startOrResume(group, failures);
            case 11 -> new GroupRequest.Skip();
            default -> startOrResume(group, failures);
        };
    }

    private static GroupRequest startOrResume(RolloutGroup group, int failures) {
        return group.state() instanceof GroupState.Pending
                ? new GroupRequest.Start()
                : new GroupRequest.Resume(failures);
    }

    /** Failures of the component that waits, as somebody would acknowledge them. */
    private int failuresToAcknowledge(RolloutGroup group) {
        return world.store.rollouts().stream()
                .filter(one -> one.spec().membership().group().equals(group.id().value()))
                .filter(one -> one.state() instanceof RolloutState.Paused)
                .mapToInt(Rollout::thresholdFailureCount)
                .findFirst()
                .orElse(0);
    }

    /** The rollout of a component. */
    Rollout component(RolloutGroup group, int index) {
        return world.store.load(group.component(index).rollout()).orElseThrow().rollout();
    }

    /** Whether a component was paused on its way back: only somebody's resume leads on. */
    public static boolean hasComponentPausedInRollback(SimulatedWorld world, RolloutGroup group) {
        return world.store.rollouts().stream()
                .filter(one -> one.spec().membership().group().equals(group.id().value()))
                .anyMatch(
                        one ->
                                one.state() instanceof RolloutState.Paused paused
                                        && paused.from() instanceof RolloutState.RollingBack);
    }

    /** Helps every group on that can be helped; false when none could. */
    public boolean requestContinuation() {
        boolean any = false;
        for (RolloutGroup group : world.store.groups().allGroups()) {
            boolean requested =
                    switch (group.state()) {
                        case GroupState.Pending pending -> request(group, new GroupRequest.Start());
                        case GroupState.Paused paused ->
                                request(group, requestContinuation(group, paused));
                        case GroupState.Running running -> false;
                        case GroupState.Cancelling cancelling ->
                                hasComponentPausedInRollback(world, group)
                                        && request(group, new GroupRequest.Resume(0));
                        case GroupState.RollingBack back -> false;
                        case GroupState.Reversible ended -> maybeRollBack(group);
                        case GroupState.RolledBack back -> false;
                    };
            any |= requested;
        }
        return any;
    }

    /** Of a group that has ended somebody thinks once whether it was right. */
    private boolean maybeRollBack(RolloutGroup group) {
        boolean back = reconsidered.add(group.id()) && randomSource.nextBooleanPercent(30);
        return back && request(group, new GroupRequest.Rollback());
    }

    private GroupRequest requestContinuation(RolloutGroup group, GroupState.Paused paused) {
        GroupRequest resume = new GroupRequest.Resume(failuresToAcknowledge(group));
        if (!(paused.from() instanceof GroupState.Running running)) {
            return resume;
        }
        boolean again = helped.merge(group.id(), 1, Integer::sum) <= MAX_RETRIES;
        if (running.stage() == RunningGroupStage.GATE) {
            return again ? resume : new GroupRequest.Skip();
        }
        RolloutState state = component(group, running.component()).state();
        boolean over = state.isFinal() && !(state instanceof RolloutState.Completed);
        return over ? new GroupRequest.Skip() : resume;
    }

    private boolean request(RolloutGroup group, GroupRequest request) {
        world.submitGroupRequest(group.id(), request, SimulatedWorld.SECOND);
        return true;
    }

    /** What is not at rest although everything else is; empty when all is. */
    public Optional<String> findUnfinishedWork() {
        for (RolloutGroup group : world.store.groups().allGroups()) {
            if (!world.store.groups().pendingRequests(group.id()).isEmpty()) {
                return Optional.of("R4: requests to a group are not decided");
            }
            boolean ended =
                    switch (group.state()) {
                        case GroupState.Ended over -> true;
                        case GroupState.Paused paused -> true;
                        case GroupState.Pending pending -> true;
                        case GroupState.Running running ->
                                component(group, running.component()).state()
                                        instanceof RolloutState.AwaitingApproval;
                        case GroupState.Cancelling cancelling ->
                                hasComponentPausedInRollback(world, group);
                        case GroupState.RollingBack back -> false;
                    };
            if (!ended) {
                return Optional.of("C12: a group is still " + group.state());
            }
        }
        return world.store.rollouts().stream()
                .filter(one -> !world.store.pendingRequests(one.id()).isEmpty())
                .findFirst()
                .map(one -> "R4: requests to a rollout are not decided: " + one.state());
    }
}
