package drover.coordinator.plan.model;

import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;

/**
 * What a node shall run of one program by now (seed 003): what it ran before until its turn has
 * come, then the target, and what it ran before again once the way back is taken. Pure.
 *
 * @param digest of the executable
 * @param url where it comes from; empty when only its digest is known
 * @param exposed whether the node has been given the target of that rollout
 */
public record CurrentDesiredProgram(
        BinaryName program,
        Version version,
        String digest,
        String url,
        RolloutId rollout,
        boolean exposed) {

    /** What one rollout wants of one of its nodes. */
    public static CurrentDesiredProgram of(RolloutId rollout, RolloutSpec spec, NodeUpgrade node) {
        TargetArtifact target = node.target().artifact(spec).orElse(null);
        if (target != null && shouldRunTarget(node)) {
            return new CurrentDesiredProgram(
                    spec.binary(),
                    spec.targetVersion(),
                    target.digest().value(),
                    target.url(),
                    rollout,
                    true);
        }
        return new CurrentDesiredProgram(
                spec.binary(),
                node.target().sourceVersion(),
                node.target().sourceDigest().value(),
                node.target().sourceUrl(),
                rollout,
                false);
    }

    private static boolean shouldRunTarget(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Assigned assigned -> !assigned.withdrawing();
            case NodeState.Upgrading u -> true;
            case NodeState.Settling s -> true;
            case NodeState.Observed o -> true;
            case NodeState.Succeeded s -> true;
            case NodeState.Unhealthy u -> true;
            case NodeState.Unreachable unreachable -> unreachable.restoreOf() == 0;
            case NodeState.Skipped skipped ->
                    skipped.reason() == SkipReason.ALREADY_THERE || node.installedBy() != 0;
            case NodeState.Pending p -> false;
            case NodeState.Held h -> false;
            case NodeState.Failed f -> false;
            case NodeState.FailedRollback f -> false;
            case NodeState.Restoring r -> false;
            case NodeState.Restored r -> false;
            case NodeState.RolledBack r -> false;
        };
    }
}
