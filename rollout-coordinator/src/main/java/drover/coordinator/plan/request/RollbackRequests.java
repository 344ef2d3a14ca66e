package drover.coordinator.plan.request;

import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.NOTHING_DONE;
import static drover.model.RefusalCode.SUPERSEDED;
import static drover.model.RefusalCode.USE_RESUME;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RollbackHealth;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.Reversible;
import drover.coordinator.plan.model.RolloutState.RolledBack;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;
import java.util.Locale;
import java.util.Optional;

/** Decides requests to roll back a rollout. */
final class RollbackRequests {
    private static final String CODE = "ROLLBACK";

    private RollbackRequests() {}

    /**
     * Decides one request.
     *
     * @param requested health gate of the rollback; empty for what the rollout was created with
     */
    static Decision rollback(RequestDraft draft, Optional<RollbackHealth> requested) {
        RollbackHealth health = requested.orElse(draft.rollout.spec().conduct().rollbackHealth());
        String sentence = "An operator requested a rollback" + gate(requested) + ".";
        return switch (draft.state()) {
            case Pending p ->
                    draft.refuse(NOTHING_DONE, "The rollout has done nothing; cancel it instead.");
            case Running running -> draft.move(running.rollBack(health, draft.now), CODE, sentence);
            case AwaitingApproval waiting ->
                    draft.move(waiting.rollBack(health, draft.now), CODE, sentence);
            case Paused paused -> paused(draft, paused, requested, health, sentence);
            case Cancelling cancelling ->
                    draft.move(
                            cancelling.withRollback(requested),
                            CODE,
                            "An operator requested a rollback"
                                    + gate(requested)
                                    + "; it starts when no node is in flight.");
            case RollingBack back ->
                    requested.filter(other -> other != back.health()).isPresent()
                            ? draft.move(back.gatedBy(health), CODE, sentence)
                            : draft.refuse(ALREADY, "The rollout is rolling back already.");
            case Reversible ended -> reopen(draft, ended, health, sentence);
            case RolledBack r -> draft.refuse(ALREADY, "The rollout is rolled back already.");
        };
    }

    private static String gate(Optional<RollbackHealth> requested) {
        return requested
                .map(health -> " with health gate " + health.name().toLowerCase(Locale.ROOT))
                .orElse("");
    }

    /** A paused rollback can get another health gate; it stays paused until it is resumed. */
    private static Decision paused(
            RequestDraft draft,
            Paused paused,
            Optional<RollbackHealth> requested,
            RollbackHealth health,
            String sentence) {
        if (!(paused.from() instanceof RollingBack back)) {
            return draft.move(paused.rollBack(health, draft.now), CODE, sentence);
        }
        return requested.filter(other -> other != back.health()).isPresent()
                ? draft.move(paused.gatedBy(back, health), CODE, sentence)
                : draft.refuse(USE_RESUME, "The rollback is paused; resume it.");
    }

    /**
     * The only exit of an ended rollout; the commit claims the chain again (A17: only legal
     * transitions).
     */
    private static Decision reopen(
            RequestDraft draft, Reversible ended, RollbackHealth health, String sentence) {
        for (NodeUpgrade node : draft.rollout.nodes().values()) {
            if (node.installedBy() != 0 && draft.fleet.superseded(node.id())) {
                return draft.refuse(
                        SUPERSEDED,
                        "Program "
                                + draft.rollout.spec().binary()
                                + " of node "
                                + node.id()
                                + " has been changed by a later rollout; roll that one back first.");
            }
        }
        return draft.move(ended.rollBack(health, draft.now), CODE, sentence);
    }
}
