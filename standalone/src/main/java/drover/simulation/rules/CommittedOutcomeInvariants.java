package drover.simulation.rules;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.store.commit.Commit;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What is said of nodes is what is so on their machines, and a rollout ends only as what it is (A7,
 * A11, A13).
 */
final class CommittedOutcomeInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Map<RolloutId, Set<NodeId>> uncompensated = new HashMap<>();

    CommittedOutcomeInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void checkCommit(Commit commit) {
        for (NodeUpgrade node : commit.after().nodes().values()) {
            NodeUpgrade was = commit.before().nodes().get(node.id());
            if (was != null && !was.state().getClass().equals(node.state().getClass())) {
                world.counts.count("node " + StateNameFormatter.of(node.state()));
                checkNodeOutcome(commit.after(), node);
                recordCompensation(commit.after(), was, node);
            }
        }
        RolloutState state = commit.after().state();
        if (state instanceof RolloutState.Paused paused && !state.equals(commit.before().state())) {
            world.counts.count("pause " + paused.reason());
        }
        if (state instanceof RolloutState.Ended && !commit.before().state().equals(state)) {
            checkRolloutOutcome(commit.after());
        }
    }

    /** An upgrade that its agent could not undo may run until a restore is verified (A13). */
    private void recordCompensation(Rollout rollout, NodeUpgrade was, NodeUpgrade node) {
        Set<NodeId> nodes = uncompensated.computeIfAbsent(rollout.id(), id -> new HashSet<>());
        switch (node.state()) {
            case NodeState.FailedRollback failed -> {
                nodes.add(node.id());
                if (was.state() instanceof NodeState.Upgrading
                        || was.state() instanceof NodeState.Assigned) {
                    world.counts.count("upgrade not compensated");
                }
            }
            case NodeState.RolledBack back -> nodes.remove(node.id());
            case NodeState.Settling settling -> {
                if (nodes.contains(node.id())) {
                    world.counts.count("gate after a failed compensation");
                }
            }
            case NodeState.Skipped skipped ->
                    safety.recordViolationUnless(
                            skipped.reason() != SkipReason.ALREADY_THERE
                                    || !nodes.contains(node.id()),
                            "A22: node "
                                    + node.id()
                                    + " is skipped as upgraded, but its failed upgrade was never"
                                    + " verified healthy");
            default -> {} // nothing is known of what it runs
        }
    }

    private void checkNodeOutcome(Rollout rollout, NodeUpgrade node) {
        int installed = world.installedVersion(rollout, node.id());
        switch (node.state()) {
            case NodeState.Failed failed ->
                    safety.recordViolationUnless(
                            isSourceInstalled(rollout, node, installed),
                            "A13: node " + node.id() + " has failed, but has v" + installed);
            case NodeState.RolledBack back ->
                    safety.recordViolationUnless(
                            isSourceInstalled(rollout, node, installed),
                            "A13: node " + node.id() + " is rolled back, but has v" + installed);
            case NodeState.Skipped skipped -> {
                world.counts.count("skip " + skipped.reason());
                if (skipped.reason() == SkipReason.ALREADY_THERE) {
                    safety.recordViolationUnless(
                            SimulatedProgramDefinition.version(installed)
                                    .equals(rollout.spec().targetVersion().value()),
                            "A11: node " + node.id() + " is skipped, but has v" + installed);
                }
            }
            default -> {} // nothing is claimed of its files
        }
    }

    /** Whether what is installed is what the rollout found when it was created. */
    static boolean isSourceInstalled(Rollout rollout, NodeUpgrade node, int installed) {
        SimulatedProgramDefinition product =
                SimulatedProgramDefinition.named(rollout.spec().binary());
        return installed != 0
                && product.digest(installed).equals(node.target().sourceDigest())
                && product.configDigest(installed).equals(node.target().sourceConfig());
    }

    private void checkRolloutOutcome(Rollout rollout) {
        rollout.nodes().values().stream()
                .filter(StateClassification::isInFlight)
                .forEach(
                        node ->
                                safety.violationFound(
                                        "A12: ended while "
                                                + node.id()
                                                + " is "
                                                + StateNameFormatter.of(node.state())));
        switch (rollout.state()) {
            case RolloutState.Completed completed -> checkCompleted(rollout);
            case RolloutState.RolledBack back ->
                    rollout.nodes()
                            .values()
                            .forEach(node -> requireSourceIfModified(rollout, node));
            default -> {} // failed and cancelled claim nothing
        }
    }

    private void checkCompleted(Rollout rollout) {
        for (NodeUpgrade node : rollout.nodes().values()) {
            safety.recordViolationUnless(
                    node.state() instanceof NodeState.Succeeded
                            || node.state() instanceof NodeState.Skipped,
                    "A11: completed although "
                            + node.id()
                            + " is "
                            + StateNameFormatter.of(node.state()));
        }
        int offline =
                RolloutRequestInvariants.countSkippedOffline(rollout) - rollout.acceptedOffline();
        safety.recordViolationUnless(
                offline <= rollout.spec().offlineBudget(),
                "A7: completed although " + offline + " nodes were offline");
    }

    private static boolean isSkippedAsRetired(NodeUpgrade node) {
        return node.state() instanceof NodeState.Skipped skipped
                && skipped.reason() == SkipReason.RETIRED;
    }

    /** Where the rollout had ended before, a later one may have changed what was back then. */
    private void requireSourceIfModified(Rollout rollout, NodeUpgrade node) {
        boolean left =
                node.state() instanceof NodeState.Skipped
                        || node.state() instanceof NodeState.Pending; // its work was withdrawn
        boolean failed =
                uncompensated.getOrDefault(rollout.id(), Set.of()).contains(node.id())
                        && !isSkippedAsRetired(node);
        boolean modified = node.attempts() > 0 && (failed || !left) && !hasLaterWork(rollout, node);
        int installed = world.installedVersion(rollout, node.id());
        safety.recordViolationUnless(
                !modified || isSourceInstalled(rollout, node, installed),
                "A13: rolled back, but node " + node.id() + " has v" + installed);
        safety.recordViolationUnless(
                !node.open() && node.installedBy() == 0,
                "A13: rolled back, but node " + node.id() + " has work open");
    }

    /** Whether another rollout of the same program has had work on the node since. */
    private boolean hasLaterWork(Rollout rollout, NodeUpgrade node) {
        return world.store.rollouts().stream()
                .filter(other -> other.spec().binary().equals(rollout.spec().binary()))
                .filter(other -> !other.id().equals(rollout.id()))
                .map(other -> other.nodes().get(node.id()))
                .anyMatch(other -> other != null && other.attempt() > node.attempt());
    }
}
