package drover.simulation.rules;

import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.GroupPauseReason;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.group.GroupStateNames;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.group.RunningGroupStage;
import drover.coordinator.plan.group.UnsuccessfulGroupEnding;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.group.LeaderGroupStore.GroupCommit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.simulation.world.SimulatedWorld;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold of every step of a group (A2, A3, A16, A17, and the failure policies). */
final class GroupInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final GroupRequestInvariants requests;
    private final GroupHistoryInvariants history;
    private final Map<NodeId, Instant> healthySince = new HashMap<>();

    GroupInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
        this.requests = new GroupRequestInvariants(world, safety);
        this.history = new GroupHistoryInvariants(world, safety);
    }

    void recordRequest(java.util.UUID id, GroupRequest request, String actor) {
        requests.recordRequest(id, request, actor);
    }

    /** The evaluator finds every program of a node well. */
    void recordHealthy(NodeId node) {
        healthySince.put(node, world.time.now());
    }

    void checkCommit(GroupCommit commit) {
        logAndCountTransition(commit);
        requests.checkCommit(commit);
        history.checkCommit(commit);
        checkChainOwner(commit.after());
        checkNextComponent(commit);
        checkFailurePolicy(commit);
        if (commit.after().state() instanceof GroupState.Ended
                && !(commit.before().state() instanceof GroupState.Ended)) {
            checkGroupEnd(commit.after(), loadComponents(commit.after().id()));
        }
    }

    private void logAndCountTransition(GroupCommit commit) {
        for (HistoryEntry row : commit.history()) {
            world.counts.count("group " + row.from() + " to " + row.to());
            world.counts.count("group because " + row.because().code());
            world.time.log(
                    "group "
                            + row.from()
                            + " -> "
                            + row.to()
                            + " ("
                            + row.because().code()
                            + ", epoch "
                            + commit.epoch()
                            + ")");
        }
        if (commit.after().state() instanceof GroupState.Paused paused
                && !paused.equals(commit.before().state())) {
            world.counts.count("group pause " + paused.reason());
        }
        commit.componentRequests()
                .forEach(
                        steering ->
                                world.time.log(
                                        "group asks component "
                                                + (steering.component() + 1)
                                                + " for "
                                                + steering.request()));
    }

    private List<ComponentRolloutSummary> loadComponents(GroupId id) {
        return world.store.groups().load(id).orElseThrow().components();
    }

    /** The chain is the group's from its creation to its end, and nobody's two (A2). */
    private void checkChainOwner(RolloutGroup group) {
        boolean owns =
                world.store
                        .findChainOwner(group.spec().chain())
                        .filter(new RolloutId(group.id().value())::equals)
                        .isPresent();
        safety.recordViolationUnless(
                owns != StateClassification.hasEnded(group.state()),
                "A2: the group is " + GroupStateNames.of(group.state()) + ", its claim " + owns);
    }

    /** The next component begins behind an open gate, or one that an operator passed (A3). */
    private void checkNextComponent(GroupCommit commit) {
        if (!(commit.after().state() instanceof GroupState.Running next)) {
            return;
        }
        GroupState before = commit.before().state();
        GroupState.Running was =
                before instanceof GroupState.Running running
                        ? running
                        : before instanceof GroupState.Paused paused
                                        && paused.from() instanceof GroupState.Running running
                                ? running
                                : null;
        if (was == null || next.component() == was.component()) {
            safety.recordViolationUnless(
                    was != null || next.component() == 0,
                    "A3: the group begins with component " + (next.component() + 1));
            return;
        }
        boolean inOrder =
                next.component() == was.component() + 1 && was.stage() == RunningGroupStage.GATE;
        safety.recordViolationUnless(inOrder, "A3: the group goes from " + was + " to " + next);
        if (!requests.appliesRequest(commit, GroupRequest.Skip.class)) {
            checkOpenedGate(commit.before(), was);
        }
    }

    /** A fresh verdict on every program of all its nodes, none from before the gate. */
    private void checkOpenedGate(RolloutGroup group, GroupState.Running gate) {
        Set<NodeId> nodes = world.store.groups().findGateNodes(group.id(), gate.component());
        for (NodeId node : nodes) {
            Instant seen = healthySince.get(node);
            safety.recordViolationUnless(
                    seen != null && !seen.isBefore(gate.since()),
                    "A3: the gate opens, and " + node + " was found well at " + seen);
        }
    }

    /** What nobody asked for is what the failure policy says (seed 000). */
    private void checkFailurePolicy(GroupCommit commit) {
        boolean requested = !commit.requests().isEmpty();
        boolean moved = !commit.after().state().equals(commit.before().state());
        if (requested || !moved) {
            return;
        }
        GroupFailurePolicy policy = commit.after().spec().policy();
        switch (commit.after().state()) {
            case GroupState.RollingBack back ->
                    safety.recordViolationUnless(
                            policy == GroupFailurePolicy.ROLLBACK_ALL,
                            "Seed 000: it rolls back by itself under " + policy);
            case GroupState.Cancelling cancelling ->
                    safety.recordViolationUnless(
                            policy == GroupFailurePolicy.PARTIAL_OK
                                    || cancelling.ending() == UnsuccessfulGroupEnding.NEVER_STARTED,
                            "Seed 000: it winds down by itself under " + policy);
            case GroupState.Paused paused ->
                    safety.recordViolationUnless(
                            paused.reason() != GroupPauseReason.GATE_UNHEALTHY
                                    || policy == GroupFailurePolicy.MANUAL,
                            "Seed 000: an unhealthy gate pauses under " + policy);
            default -> {} // no policy speaks of it
        }
    }

    /** A group ends as what its components are, and leaves nothing open. */
    private void checkGroupEnd(RolloutGroup group, List<ComponentRolloutSummary> components) {
        components.forEach(
                component ->
                        safety.recordViolationUnless(
                                StateClassification.hasEnded(component.state()),
                                "A3: the group is "
                                        + GroupStateNames.of(group.state())
                                        + " and a component "
                                        + component.state()));
        long completed =
                components.stream()
                        .filter(one -> one.state() instanceof RolloutState.Completed)
                        .count();
        String what =
                "A11: the group is " + GroupStateNames.of(group.state()) + " with " + completed;
        switch (group.state()) {
            case GroupState.Completed c ->
                    safety.recordViolationUnless(
                            completed == components.size(), what + " completed");
            case GroupState.Partial p ->
                    safety.recordViolationUnless(
                            completed > 0 && completed < components.size(), what + " completed");
            case GroupState.RolledBack back ->
                    components.forEach(
                            one ->
                                    safety.recordViolationUnless(
                                            !one.started()
                                                    || one.state()
                                                            instanceof RolloutState.RolledBack,
                                            "A13: rolled back, and a component is " + one.state()));
            default -> {} // failed and cancelled claim nothing
        }
    }
}
