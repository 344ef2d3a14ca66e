package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.coordinator.plan.step.StepDraft;
import drover.model.RolloutId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides whether a node may be given its work now. */
final class NodeSkipRules {
    private NodeSkipRules() {}

    /**
     * Why a connected node must be left alone, or empty when it may be upgraded.
     *
     * @param present the node as it is now
     */
    static Optional<NodeState.Skipped> findSkip(
            StepDraft draft, NodeUpgrade node, NodeView.Present present) {
        FleetView.NodeAttemptsAndReservation guard = draft.fleet.reservation(node.id());
        if (guard.failedRollback()) {
            return toSkipped(
                    draft,
                    SkipReason.FAILED_ROLLBACK,
                    "An earlier upgrade could not be undone; look at the node and clear it.");
        }
        RolloutId taken = guard.otherReservingRollout(draft.rollout().id());
        if (taken != null) {
            return toSkipped(
                    draft,
                    SkipReason.OTHER_ROLLOUT,
                    taken.equals(FleetView.NodeAttemptsAndReservation.CLEARING)
                            ? "It is being cleared."
                            : "Rollout " + taken + " has work open on it.");
        }
        if (present.attemptFloor() != guard.lastAttempt()) {
            return toSkipped(draft, SkipReason.DRIFTED, journalMismatchSentence(present, guard));
        }
        if (!draft.spec.acceptsRuntime(present.runtime())) {
            return toSkipped(
                    draft,
                    SkipReason.WRONG_RUNTIME,
                    "It runs on " + present.runtime() + ", not " + draft.spec.runtime() + ".");
        }
        return findProgramSkip(draft, node, present.programs().get(draft.spec.binary()));
    }

    private static Optional<NodeState.Skipped> findProgramSkip(
            StepDraft draft, NodeUpgrade node, @Nullable ProgramView program) {
        if (program == null) {
            return toSkipped(
                    draft,
                    SkipReason.DRIFTED,
                    "It has no program "
                            + draft.spec.binary()
                            + ": start it on the node and add it with 'drover agent adopt'.");
        }
        NodeTarget target = node.target();
        if (!draft.spec.sourceVersions().contains(target.sourceVersion())) {
            return toSkipped(
                    draft,
                    SkipReason.DRIFTED,
                    "It ran "
                            + target.sourceVersion()
                            + " when the rollout was created, not the source version.");
        }
        if (target.artifact(draft.spec).isEmpty()) {
            return toSkipped(
                    draft,
                    SkipReason.UNSUPPORTED,
                    "There is no artifact for its platform " + target.platform() + ".");
        }
        if (target.isTargetDigest(draft.spec, program.digest())
                && program.config().equals(target.targetConfig().value())) {
            // What this rollout installed, and what was never proven well, is proven and not left.
            return node.installedBy() != 0
                    ? Optional.empty()
                    : toSkipped(draft, SkipReason.ALREADY_THERE, "It runs the target already.");
        }
        if (!program.digest().equals(target.sourceDigest().value())) {
            return toSkipped(
                    draft,
                    SkipReason.DRIFTED,
                    "It runs "
                            + program.version()
                            + " ("
                            + program.digest()
                            + "), not what it ran when the rollout was created.");
        }
        if (!program.config().equals(target.sourceConfig().value())) {
            return toSkipped(
                    draft,
                    SkipReason.DRIFTED,
                    "Its configuration is not what it was when the rollout was created.");
        }
        return Optional.empty();
    }

    /**
     * A floor below ours: the agent lost its journal. Above: this database is from the past.
     * Neither is safe.
     */
    private static String journalMismatchSentence(
            NodeView.Present present, FleetView.NodeAttemptsAndReservation guard) {
        return present.attemptFloor() < guard.lastAttempt()
                ? "Its agent has lost its journal (attempt "
                        + present.attemptFloor()
                        + " of "
                        + guard.lastAttempt()
                        + ")."
                : "Its agent knows attempt "
                        + present.attemptFloor()
                        + ", this database only "
                        + guard.lastAttempt()
                        + ": the database is from the past.";
    }

    private static Optional<NodeState.Skipped> toSkipped(
            StepDraft draft, SkipReason reason, String detail) {
        return Optional.of(new NodeState.Skipped(reason, detail, draft.now));
    }
}
