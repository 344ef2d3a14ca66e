package drover.simulation.rules;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.Note;
import drover.coordinator.store.incident.IncidentViews.State;
import drover.coordinator.store.incident.LeaderIncidentStore.OpenIncident;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.simulation.world.SimulatedOperator;
import drover.simulation.world.SimulatedWorld;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Incidents are opened in the step that they tell of, one of a kind at a time, and are over in the
 * step that resolves them (F6).
 */
final class IncidentLifecycleInvariants {
    private static final Set<IncidentCategory> OF_UPGRADES =
            Set.of(
                    IncidentCategory.UPGRADE_FAILED,
                    IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                    IncidentCategory.UPGRADE_STALLED);

    /** What a rollout pauses for that cannot be seen or heard. */
    private static final Set<String> VISIBILITY_REASONS =
            Set.of("NO_FLEET_VISIBILITY", "HEALTH_UNAVAILABLE", "UNHEARD", "RESTORED_UNHEALTHY");

    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Map<UUID, State> known = new HashMap<>();

    IncidentLifecycleInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void checkCommit(Commit commit) {
        RolloutId rollout = commit.after().id();
        Set<NodeId> moved = new HashSet<>();
        for (NodeUpgrade node : commit.after().nodes().values()) {
            NodeState was = Objects.requireNonNull(commit.before().nodes().get(node.id())).state();
            boolean finding =
                    was instanceof NodeState.RolledBack before
                            && node.state() instanceof NodeState.RolledBack after
                            && !before.finding().equals(after.finding());
            if (finding || !was.getClass().equals(node.state().getClass())) {
                moved.add(node.id());
                checkStateChange(rollout, was, node);
            }
        }
        if (commit.after().state() instanceof RolloutState.RolledBack) {
            requireResolved(null, rollout, OF_UPGRADES);
        }
        moved.addAll(checkPauseIncidents(commit));
        checkNewIncidents(rollout, moved);
    }

    /**
     * A pause for what cannot be seen or heard is an incident for as long as it lasts (A18); the
     * nodes that it may be of.
     */
    private Set<NodeId> checkPauseIncidents(Commit commit) {
        RolloutId rollout = commit.after().id();
        if (commit.history().stream()
                .anyMatch(row -> row.because().code().equals("CANARY_UNHEALTHY"))) {
            return commit.after().nodes().keySet(); // succeeded, and unhealthy before the approval
        }
        if (isPausedForUnhealthyOrOffline(commit.after().state())
                && !isPausedForUnhealthyOrOffline(commit.before().state())) {
            return commit.after().nodes().keySet();
        }
        boolean was = isPauseWithStallIncident(commit.before().state());
        boolean is = isPauseWithStallIncident(commit.after().state());
        if (is && !was) {
            safety.recordViolationUnless(
                    unresolvedStalls(rollout).anyMatch(one -> true),
                    "A18: a rollout pauses by itself, and no incident tells of it");
            return commit.after().nodes().keySet();
        }
        if (was && !is) {
            safety.recordViolationUnless(
                    unresolvedStalls(rollout)
                            .noneMatch(one -> VISIBILITY_REASONS.contains(one.because().code())),
                    "A18: the incident of a pause outlives it");
        }
        return Set.of();
    }

    private static boolean isPauseWithStallIncident(RolloutState state) {
        return state instanceof RolloutState.Paused paused
                && (paused.reason() == PauseReason.NO_FLEET_VISIBILITY
                        || paused.reason() == PauseReason.RESTORED_UNHEALTHY
                        || paused.reason() == PauseReason.HEALTH_UNAVAILABLE);
    }

    private static boolean isUnhealthy(NodeState.RolledBack back) {
        return back.finding().filter(why -> !why.code().equals("NO_DATA")).isPresent();
    }

    private static boolean isPausedForUnhealthyOrOffline(RolloutState state) {
        return state instanceof RolloutState.Paused paused
                && (paused.reason() == PauseReason.TARGETS_UNHEALTHY
                        || paused.reason() == PauseReason.NODES_OFFLINE);
    }

    private Stream<Incident> unresolvedStalls(RolloutId rollout) {
        return allIncidents().stream()
                .filter(one -> one.state() != State.RESOLVED)
                .filter(one -> one.category() == IncidentCategory.UPGRADE_STALLED)
                .filter(one -> rollout.equals(one.rollout()));
    }

    private void checkStateChange(RolloutId rollout, NodeState was, NodeUpgrade node) {
        boolean goingBack =
                was instanceof NodeState.Restoring restoring
                        && restoring.purpose() == NodeState.RestorePurpose.ROLLBACK;
        IncidentCategory failed =
                goingBack
                        ? IncidentCategory.UPGRADE_ROLLBACK_FAILED
                        : IncidentCategory.UPGRADE_FAILED;
        switch (node.state()) {
            case NodeState.FailedRollback f -> requireOpen(failed, node.id(), rollout);
            case NodeState.Unreachable u when goingBack -> requireOpen(failed, node.id(), rollout);
            case NodeState.Unhealthy u ->
                    requireOpen(IncidentCategory.NODE_UNHEALTHY, node.id(), rollout);
            case NodeState.RolledBack back when isUnhealthy(back) ->
                    requireOpen(IncidentCategory.NODE_UNHEALTHY, node.id(), rollout);
            case NodeState.Succeeded s -> requireResolved(node.id(), rollout, OF_UPGRADES);
            case NodeState.RolledBack r -> requireResolved(node.id(), rollout, OF_UPGRADES);
            default -> {} // nothing that a person must look at, and nothing solved
        }
    }

    /** A status came after the end of its rollout. */
    void checkLateStatus(Commit.ReportedAttemptStatus report) {
        Set<NodeId> received = report.failedRollback() ? Set.of(report.node()) : Set.of();
        checkNewIncidents(null, received);
    }

    void checkCleared(NodeId node) {
        requireResolved(
                node,
                null,
                Set.of(
                        IncidentCategory.UPGRADE_FAILED,
                        IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                        IncidentCategory.NODE_UNHEALTHY));
    }

    private void requireOpen(IncidentCategory category, NodeId node, RolloutId rollout) {
        boolean open =
                allIncidents().stream()
                        .filter(one -> one.state() != State.RESOLVED)
                        .anyMatch(
                                one ->
                                        one.category() == category
                                                && one.node().equals(node)
                                                && rollout.equals(one.rollout()));
        safety.recordViolationUnless(
                open, "F6: node " + node + " fails, and no " + category + " is opened");
    }

    /** That of a pause for sight names one node for its whole rollout, which still waits. */
    static boolean isStallIncidentOfPause(SimulatedWorld world, OpenIncident one) {
        return one.category() == IncidentCategory.UPGRADE_STALLED
                && world.store.rollouts().stream()
                        .filter(rollout -> rollout.id().equals(one.rollout()))
                        .anyMatch(rollout -> isPauseWithStallIncident(rollout.state()));
    }

    private void requireResolved(
            @Nullable NodeId node, @Nullable RolloutId rollout, Set<IncidentCategory> categories) {
        for (OpenIncident one : world.store.incidents().allOpenIncidents()) {
            boolean concerned =
                    categories.contains(one.category())
                            && (node == null
                                    || (one.node().equals(node)
                                            && !isStallIncidentOfPause(world, one)))
                            && (rollout == null || rollout.equals(one.rollout()));
            safety.recordViolationUnless(
                    !concerned, "F6: " + one + " stands, and what it tells of is over");
        }
    }

    /**
     * What is new is explained by this step.
     *
     * @param rollout whose step it is; null for the fleet's
     */
    private void checkNewIncidents(@Nullable RolloutId rollout, Set<NodeId> explained) {
        List<OpenIncident> open = world.store.incidents().allOpenIncidents();
        safety.recordViolationUnless(
                open.size() == Set.copyOf(open).size(),
                "F6: two incidents of a kind stand: " + open);
        for (Incident one : allIncidents()) {
            State was = known.put(one.id(), one.state());
            Note word = one.resolved();
            safety.recordViolationUnless(
                    was == State.RESOLVED || (one.state() == State.RESOLVED) == (word != null),
                    "F6: an incident is over, and nobody said so: " + one);
            if (was == null) {
                world.counts.count("incident " + one.category());
                world.counts.count("incident because " + one.because().code());
                boolean isExplained =
                        StateClassification.endsWhenNotReported(one.category())
                                || (explained.contains(one.node())
                                        && (rollout == null || rollout.equals(one.rollout())));
                safety.recordViolationUnless(
                        isExplained, "F6: nothing in this step explains " + one);
            }
            safety.recordViolationUnless(
                    was != State.RESOLVED || one.state() == State.RESOLVED,
                    "F6: an incident that is over is opened again: " + one);
        }
    }

    private List<Incident> allIncidents() {
        return world.store.incidents().list(SimulatedOperator.ALL_INCIDENTS);
    }
}
