package drover.coordinator.plan.request;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Strategy;
import drover.model.RefusalCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what the creator of a rollout may not let happen alone (invariants A9, A16, H6): the
 * approval of a breaking migration, forcing, and the start of one that skips what protects others.
 */
public final class TwoPersonRule {
    /**
     * The actor of doors that ask nobody who they are, as {@code --insecure} ones: two people
     * cannot be told apart there, so that no rule could be kept.
     */
    public static final String ANONYMOUS = "local";

    /** Of a chain's nodes at once, from which on another person must agree (issue 4). */
    private static final int LARGEST_SHARE_PERCENT = 20;

    /** A first batch of so few is watched by one person; 20 % of a chain of three is nobody. */
    private static final int SMALL_FIRST_BATCH = 5;

    private TwoPersonRule() {}

    /**
     * Why somebody else than its creator must start a rollout, in one sentence; empty when the
     * creator may.
     *
     * @param targets all of its nodes
     */
    public static String secondPersonReason(RolloutSpec spec, int targets) {
        List<String> reasons = new ArrayList<>();
        if (spec.strategy().skipsValidation()) {
            reasons.add("does not wait for health");
        }
        if (spec.strategy().ignoresFailures()) {
            reasons.add("goes on whatever fails");
        }
        int chain = spec.oversight().chainNodes();
        int untried = spec.strategy().firstBatchSize(targets);
        if (chain > 0
                && dependsOnChainSize(spec.strategy(), targets)
                && untried * 100L > (long) LARGEST_SHARE_PERCENT * chain) {
            reasons.add("upgrades " + untried + " of the " + chain + " nodes of its chain at once");
        }
        return reasons.isEmpty() ? "" : "It " + String.join(", ", reasons) + ".";
    }

    /**
     * Whether it matters how large a chain is: not where a first batch is so small that one person
     * watches it, unless nothing comes after it by plan.
     */
    public static boolean dependsOnChainSize(Strategy strategy, int targets) {
        return strategy instanceof Strategy.AllAtOnce
                || strategy.firstBatchSize(targets) > SMALL_FIRST_BATCH;
    }

    /** Why this person may not ask for it; empty when another one asks, or nobody has to. */
    static Optional<RequestDecision.Refused> findRefusal(
            Rollout rollout, OperatorRequest request, String actor) {
        String creator = rollout.spec().oversight().createdBy();
        return isSamePerson(creator, actor) ? findRefusal(rollout, request) : Optional.empty();
    }

    private static Optional<RequestDecision.Refused> findRefusal(
            Rollout rollout, OperatorRequest request) {
        return switch (request) {
            case OperatorRequest.Approve a ->
                    newRefusal(
                            "Whoever created a rollout does not approve it; ask somebody else to.");
            case OperatorRequest.Force f ->
                    newRefusal(
                            "Whoever created a rollout does not force it; ask somebody else to.");
            case OperatorRequest.Start s ->
                    findStartRefusal(secondPersonReason(rollout.spec(), rollout.nodes().size()));
            default -> Optional.empty(); // no request of those lets go on what would have stopped
        };
    }

    private static Optional<RequestDecision.Refused> findStartRefusal(String reason) {
        return reason.isEmpty()
                ? Optional.empty()
                : newRefusal(reason + " Somebody else than its creator must start it.");
    }

    private static Optional<RequestDecision.Refused> newRefusal(String sentence) {
        return Optional.of(
                new RequestDecision.Refused(RefusalCode.CREATOR_CANNOT_APPROVE, sentence));
    }

    /** Whether two actors are known to be one person. */
    public static boolean isSamePerson(String creator, String actor) {
        return !creator.isEmpty() && !creator.equals(ANONYMOUS) && creator.equals(actor);
    }
}
