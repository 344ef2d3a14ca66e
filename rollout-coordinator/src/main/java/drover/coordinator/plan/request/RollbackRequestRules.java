package drover.coordinator.plan.request;

import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.NODE_FAILED_ROLLBACK;
import static drover.model.RefusalCode.NOTHING_DONE;
import static drover.model.RefusalCode.SUPERSEDED;
import static drover.model.RefusalCode.USE_RESUME;

import drover.coordinator.plan.batch.RollbackOrder;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.ReversibleEnd;
import drover.coordinator.plan.model.RolloutState.RolledBack;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Decides requests to roll back a rollout. */
final class RollbackRequestRules {
    private static final String CODE = "ROLLBACK";

    private RollbackRequestRules() {}

    /**
     * Decides one request.
     *
     * @param requested health gate of the rollback; empty for what the rollout was created with
     */
    static RequestDecision rollback(
            RequestDecisionDraft draft, Optional<RollbackHealthPolicy> requested) {
        RollbackHealthPolicy health =
                requested.orElse(draft.rollout.spec().conduct().rollbackHealth());
        String sentence =
                "An operator requested a rollback. "
                        + RollbackOrder.describe(draft.rollout, draft.fleet, health);
        return switch (draft.state()) {
            case Pending p ->
                    draft.refuse(NOTHING_DONE, "The rollout has done nothing; cancel it instead.");
            case Running running ->
                    draft.moveRollout(running.rollBack(health, draft.now), CODE, sentence);
            case AwaitingApproval waiting ->
                    draft.moveRollout(waiting.rollBack(health, draft.now), CODE, sentence);
            case Paused paused -> rollBackPaused(draft, paused, requested, health, sentence);
            case Cancelling cancelling ->
                    draft.moveRollout(
                            cancelling.withRollback(requested),
                            CODE,
                            "An operator requested a rollback"
                                    + gatePhrase(requested)
                                    + "; it starts when no node is in flight.");
            case RollingBack back ->
                    requested.filter(other -> other != back.health()).isPresent()
                            ? draft.moveRollout(back.withRollbackHealth(health), CODE, sentence)
                            : draft.refuse(ALREADY, "The rollout is rolling back already.");
            case ReversibleEnd ended -> rollBackEnded(draft, ended, health, sentence);
            case RolledBack r -> draft.refuse(ALREADY, "The rollout is rolled back already.");
        };
    }

    private static String gatePhrase(Optional<RollbackHealthPolicy> requested) {
        return requested
                .map(health -> " with health gate " + health.name().toLowerCase(Locale.ROOT))
                .orElse("");
    }

    /** A paused rollback can get another health gate; it stays paused until it is resumed. */
    private static RequestDecision rollBackPaused(
            RequestDecisionDraft draft,
            Paused paused,
            Optional<RollbackHealthPolicy> requested,
            RollbackHealthPolicy health,
            String sentence) {
        if (!(paused.from() instanceof RollingBack back)) {
            return draft.moveRollout(paused.rollBack(health, draft.now), CODE, sentence);
        }
        return requested.filter(other -> other != back.health()).isPresent()
                ? draft.moveRollout(paused.withRollbackHealth(back, health), CODE, sentence)
                : draft.refuse(USE_RESUME, "The rollback is paused; resume it.");
    }

    /**
     * The only exit of an ended rollout; the commit claims the chain again (A17: only legal
     * transitions).
     */
    private static RequestDecision rollBackEnded(
            RequestDecisionDraft draft,
            ReversibleEnd ended,
            RollbackHealthPolicy health,
            String sentence) {
        for (NodeUpgrade node : draft.rollout.nodes().values()) {
            if (node.installedBy() != 0 && draft.fleet.isUpgradeSuperseded(node.id())) {
                return draft.refuse(
                        SUPERSEDED,
                        "Program "
                                + draft.rollout.spec().binary()
                                + " of node "
                                + node.id()
                                + " has been changed by a later rollout; roll that one back first.");
            }
        }
        List<NodeUpgrade> modified =
                draft.rollout.nodes().values().stream()
                        .filter(node -> node.installedBy() != 0)
                        .toList();
        if (!modified.isEmpty() && modified.stream().allMatch(node -> isMarked(draft, node))) {
            return draft.refuse(
                    NODE_FAILED_ROLLBACK,
                    "The restore of node "
                            + modified.getFirst().id()
                            + " failed and nothing else is left to restore: repair it and clear it"
                            + " with 'drover node clear "
                            + modified.getFirst().id()
                            + " --reason TEXT', then roll back again.");
        }
        return draft.moveRollout(ended.rollBack(health, draft.now), CODE, sentence);
    }

    /** Whether an operator has to clear it before a rollback restores it again (D14). */
    private static boolean isMarked(RequestDecisionDraft draft, NodeUpgrade node) {
        return node.state() instanceof NodeState.FailedRollback
                && draft.fleet.reservation(node.id()).failedRollback();
    }
}
