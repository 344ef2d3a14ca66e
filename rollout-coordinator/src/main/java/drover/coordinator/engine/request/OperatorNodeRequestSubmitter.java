package drover.coordinator.engine.request;

import drover.coordinator.engine.request.RolloutRequestSubmitter.Receipt;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.node.OperatorNodeRequestStore.RequestWithStatus;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Writes operators' requests about nodes down and waits a little for the leader (rule R4). */
public final class OperatorNodeRequestSubmitter {
    private final OperatorNodeRequestStore store;

    /** A desk over the table of requests about nodes. */
    public OperatorNodeRequestSubmitter(OperatorNodeRequestStore store) {
        this.store = store;
    }

    /**
     * Asks, and waits for up to two seconds.
     *
     * @param key idempotency key; empty for none
     * @param reason why; refused when it is blank
     * @throws Refused when the rules say no
     */
    public Receipt submitAndAwait(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason) {
        requireReason(reason);
        String unique = key.isEmpty() ? UUID.randomUUID().toString() : key;
        return switch (store.submitRequest(node, request, actor, unique, reason)) {
            case SubmitResult.WrittenNowOrEarlier(UUID id) ->
                    RolloutRequestSubmitter.awaitDecision(id, store::requestStatus);
            case SubmitResult.KeyReused reused -> throw RolloutRequestSubmitter.keyReusedRefusal();
            case SubmitResult.NoRollout none ->
                    throw new IllegalStateException("Nodes have no rollout");
        };
    }

    /**
     * Writes down what a gateway has done because somebody asked for it.
     *
     * @param key idempotency key; empty for none
     * @throws Refused when the key was used for something else
     */
    public Receipt recordDone(
            NodeId node, OperatorNodeRequest done, String actor, String key, String reason) {
        requireReason(reason);
        String unique = key.isEmpty() ? UUID.randomUUID().toString() : key;
        return switch (store.recordCompletedRequest(node, done, actor, unique, reason)) {
            case SubmitResult.WrittenNowOrEarlier(UUID id) -> new Receipt(id, false);
            case SubmitResult.KeyReused reused -> throw RolloutRequestSubmitter.keyReusedRefusal();
            case SubmitResult.NoRollout none ->
                    throw new IllegalStateException("Nodes have no rollout");
        };
    }

    /** Refuses what is asked without saying why (invariant A16). */
    public static void requireReason(String reason) {
        requireReason("reason", reason);
    }

    /** The same where the reason has another name. */
    public static void requireReason(String field, String text) {
        if (text.isBlank()) {
            throw new Refused(
                    RefusalCode.MISSING_FIELD,
                    "Say why, as the " + field + " of the request.",
                    field);
        }
    }

    /** What became of something that was asked of a node. */
    public record ListedRequestOutcome(Instant at, Cause cause) {}

    /** What was asked of a node, newest first. */
    public List<ListedRequestOutcome> outcomes(NodeId node, int limit) {
        return store.findByNode(node, limit).stream()
                .map(OperatorNodeRequestSubmitter::outcomes)
                .toList();
    }

    private static ListedRequestOutcome outcomes(RequestWithStatus requested) {
        VerbAndCauseCodes spoken = wordingOf(requested.request());
        String who = requested.actor() + " asked to " + spoken.verb() + " it. ";
        String why = " Reason: " + requested.reason();
        RequestStatus status = requested.status();
        Cause cause =
                switch (status.state()) {
                    case "applied" -> new Cause(spoken.done(), who + "It is done." + why);
                    case "refused" ->
                            new Cause(status.refusalCode(), who + status.refusalSentence() + why);
                    default -> new Cause(spoken.doing(), who + "It is not done yet." + why);
                };
        return new ListedRequestOutcome(requested.at(), cause);
    }

    /** How a request is told of, with its codes when it is done and before. */
    private record VerbAndCauseCodes(String verb, String done, String doing) {}

    private static VerbAndCauseCodes wordingOf(OperatorNodeRequest request) {
        return switch (request) {
            case CLEAR -> new VerbAndCauseCodes("clear", "CLEARED", "CLEARING");
            case RETIRE -> new VerbAndCauseCodes("retire", "RETIRED", "RETIRING");
            case REVOKE -> new VerbAndCauseCodes("revoke", "REVOKED", "REVOKING");
            case UNKNOWN ->
                    new VerbAndCauseCodes("do what a later version knows to", "DONE", "ASKED");
        };
    }
}
