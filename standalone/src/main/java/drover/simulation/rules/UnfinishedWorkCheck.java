package drover.simulation.rules;

import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.simulation.world.SimulatedGroupOperator;
import drover.simulation.world.SimulatedWorld;

/** What is still under way once the faults are over (C12, A18). */
public final class UnfinishedWorkCheck {
    private final SimulatedWorld world;
    private final boolean shortDeadlines;

    /**
     * @param shortDeadlines whether what waits for people gives up by itself
     */
    public UnfinishedWorkCheck(SimulatedWorld world, boolean shortDeadlines) {
        this.world = world;
        this.shortDeadlines = shortDeadlines;
    }

    /** Whether something has neither ended nor waits for a person with nothing in flight. */
    public boolean hasUnfinishedWork() {
        return hasPendingRequest()
                || hasUnrequestedRetirement()
                || world.store.groups().allGroups().stream().anyMatch(this::isUnfinished)
                || world.store.rollouts().stream().anyMatch(this::isUnfinished);
    }

    /** Whether something is asked that no leader has decided. */
    private boolean hasPendingRequest() {
        return world.store.groups().allGroups().stream()
                        .anyMatch(
                                group ->
                                        !world.store.groups().pendingRequests(group.id()).isEmpty())
                || world.store.rollouts().stream()
                        .anyMatch(one -> !world.store.pendingRequests(one.id()).isEmpty());
    }

    /** Whether somebody still waits for the gateways to notice that a machine is gone for good. */
    private boolean hasUnrequestedRetirement() {
        return world.nodes.stream()
                .anyMatch(node -> node.isScrapped() && !world.isRetirementRequested(node.id));
    }

    private boolean isUnfinished(RolloutGroup group) {
        return switch (group.state()) {
            case GroupState.Ended ended -> false;
            case GroupState.Pending pending -> shortDeadlines;
            case GroupState.Paused paused -> false;
            case GroupState.Running running ->
                    shortDeadlines
                            || running.stage() == RunningGroupStage.GATE
                            || !(componentState(group, running.component())
                                    instanceof RolloutState.AwaitingApproval);
            case GroupState.Cancelling cancelling ->
                    !SimulatedGroupOperator.hasComponentPausedInRollback(world, group);
            case GroupState.RollingBack back -> true;
        };
    }

    private boolean isUnfinished(Rollout rollout) {
        return switch (rollout.state()) {
            case RolloutState.Ended ended -> false;
            case RolloutState.Pending pending -> shortDeadlines && !rollout.spec().isInGroup();
            case RolloutState.AwaitingApproval awaiting ->
                    shortDeadlines || hasNodesInFlight(rollout);
            case RolloutState.Paused paused -> hasNodesInFlight(rollout);
            case RolloutState.Running running -> true;
            case RolloutState.Cancelling cancelling -> true;
            case RolloutState.RollingBack back -> true;
        };
    }

    private static boolean hasNodesInFlight(Rollout rollout) {
        return rollout.nodes().values().stream().anyMatch(node -> node.state().isInFlight());
    }

    private RolloutState componentState(RolloutGroup group, int index) {
        return world.store.load(group.component(index).rollout()).orElseThrow().rollout().state();
    }
}
