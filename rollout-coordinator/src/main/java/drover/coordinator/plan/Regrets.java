package drover.coordinator.plan;

import java.util.Optional;
import java.util.Set;

/**
 * Takes back what was counted too early: a node that reverts or falls again and again after it had
 * succeeded is brought back and counts as failed, for as long as its rollout runs (issue 4: proof,
 * then a regret window).
 */
final class Regrets {
    /** What proves the success wrong; a bad moment of a program does not. */
    private static final Set<String> PROVE_IT_WRONG =
            Set.of("CRASH_LOOP", "WRONG_DIGEST", "WRONG_CONFIG");

    private Regrets() {}

    static void judge(PlanDraft draft) {
        if (!isOpen(draft.rollout())) {
            return;
        }
        for (NodeUpgrade node : draft.nodes()) {
            if (node.state() instanceof NodeState.Succeeded succeeded && isFree(draft, node)) {
                wrong(draft, node, succeeded).ifPresent(cause -> regret(draft, node, cause));
            }
        }
    }

    /**
     * One attempt at a time (A4): while others are at work on it, what they do is judged by them.
     */
    private static boolean isFree(PlanDraft draft, NodeUpgrade node) {
        return draft.fleet.guard(node.id()).takenBy(draft.rollout().id()) == null;
    }

    /**
     * Whether successes are taken back. An approval that is awaited or has led to no work has its
     * own look at the canary, and who does not wait for health does not ask for it later.
     */
    private static boolean isOpen(Rollout rollout) {
        return areWatched(rollout) && !Approvals.hasItsOwnLook(rollout);
    }

    /** Whether the health of nodes that succeeded is still asked for. */
    static boolean areWatched(Rollout rollout) {
        return switch (rollout.state()) {
            case RolloutState.AwaitingApproval waiting -> true;
            default ->
                    meant(rollout.state()) instanceof RolloutState.Running
                            && !rollout.spec().strategy().skipsValidation();
        };
    }

    private static RolloutState meant(RolloutState state) {
        return state instanceof RolloutState.Paused paused ? paused.from() : state;
    }

    private static Optional<Cause> wrong(
            PlanDraft draft, NodeUpgrade node, NodeState.Succeeded succeeded) {
        return HealthGate.verdict(draft, node, succeeded.attempt())
                        instanceof HealthVerdict.Unhealthy unhealthy
                ? unhealthy.findings().stream()
                        .filter(finding -> PROVE_IT_WRONG.contains(finding.code()))
                        .findFirst()
                : Optional.empty();
    }

    private static void regret(PlanDraft draft, NodeUpgrade node, Cause finding) {
        Cause cause =
                new Cause(
                        finding.code(), "It had been counted as succeeded. " + finding.sentence());
        draft.restoreUnwell(node, cause);
        if (draft.batches().get(node.batch()).phase() == BatchPhase.PROMOTED) {
            draft.put(draft.node(node.id()).inBatch(draft.joinableBatch()));
        }
    }
}
