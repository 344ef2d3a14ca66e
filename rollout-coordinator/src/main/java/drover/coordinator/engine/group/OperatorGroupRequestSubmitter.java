package drover.coordinator.engine.group;

import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.engine.request.RolloutRequestSubmitter.Receipt;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.store.group.GroupStore;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.kit.grpc.Refused;
import drover.model.GroupId;
import drover.model.RefusalCode;
import java.util.UUID;

/** Writes operators' requests to groups down and waits a little for the leader (rule R4). */
public final class OperatorGroupRequestSubmitter {
    private final GroupStore store;

    /** A desk over the table of requests to groups. */
    public OperatorGroupRequestSubmitter(GroupStore store) {
        this.store = store;
    }

    /**
     * Asks, and waits for up to two seconds.
     *
     * @param key idempotency key; empty for none
     * @throws Refused when the rules say no
     */
    public Receipt submitAndAwait(
            GroupId group, GroupRequest request, String actor, String key, String reason) {
        if (request instanceof GroupRequest.Rollback && store.hasPrunedComponent(group)) {
            throw prunedRefusal(group);
        }
        String unique = key.isEmpty() ? UUID.randomUUID().toString() : key;
        return switch (store.submitRequest(group, request, actor, unique, reason)) {
            case SubmitResult.WrittenNowOrEarlier(UUID id) ->
                    RolloutRequestSubmitter.awaitDecision(id, store::requestStatus);
            case SubmitResult.NoRollout none -> throw notFoundRefusal(group);
            case SubmitResult.KeyReused reused -> throw RolloutRequestSubmitter.keyReusedRefusal();
        };
    }

    private static Refused prunedRefusal(GroupId group) {
        return new Refused(
                RefusalCode.HISTORY_PRUNED,
                "Group "
                        + group
                        + " ended so long ago that what a rollback of its components needs was"
                        + " pruned; roll the old versions out as upgrades.");
    }

    /** There is no such group. */
    public static Refused notFoundRefusal(GroupId group) {
        return new Refused(
                RefusalCode.GROUP_NOT_FOUND,
                "There is no rollout group " + group + "; look at 'drover group list'.",
                "group_id");
    }
}
