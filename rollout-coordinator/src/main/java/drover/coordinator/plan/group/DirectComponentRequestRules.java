package drover.coordinator.plan.group;

import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.RefusalCode;
import java.util.Optional;

/**
 * Decides what people may ask of a rollout that belongs to a group past the group: what decides
 * about its nodes, its canary and its threshold, and pausing. Its course is the group's.
 */
public final class DirectComponentRequestRules {
    private DirectComponentRequestRules() {}

    /** Why this is refused; empty when the rollout itself decides. */
    public static Optional<RequestDecision.Refused> findRefusal(
            RolloutSpec spec, OperatorRequest request, String actor) {
        String verb = groupCommandVerb(request);
        String group = spec.membership().group();
        boolean own = actor.equals(RequestToComponent.groupActor(group));
        if (!spec.isInGroup() || own || verb.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new RequestDecision.Refused(
                        RefusalCode.IN_GROUP,
                        "The rollout belongs to group "
                                + group
                                + "; use 'drover group "
                                + verb
                                + " "
                                + group
                                + "'."));
    }

    /** The verb of the group that does it; empty when the rollout itself is asked. */
    private static String groupCommandVerb(OperatorRequest request) {
        return switch (request) {
            case OperatorRequest.Start s -> "start";
            case OperatorRequest.Resume r -> "resume";
            case OperatorRequest.Cancel c -> "cancel";
            case OperatorRequest.Rollback r -> "rollback";
            case OperatorRequest.Pause p -> "";
            case OperatorRequest.Approve a -> "";
            case OperatorRequest.Force f -> "";
            case OperatorRequest.RetryNode r -> "";
            case OperatorRequest.SkipNode s -> "";
            case OperatorRequest.SkipNodes s -> "";
            case OperatorRequest.HoldNode h -> "";
            case OperatorRequest.ReleaseNode r -> "";
            case OperatorRequest.Unknown u -> "";
        };
    }
}
