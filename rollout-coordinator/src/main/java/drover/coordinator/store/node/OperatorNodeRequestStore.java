package drover.coordinator.store.node;

import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.model.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Requests about nodes: written by any replica, decided by the leader's fleet loop (rule R4). */
public interface OperatorNodeRequestStore {
    /**
     * Writes a request down. With a key that the actor has used before, nothing is written.
     *
     * @param key idempotency key
     */
    SubmitResult submitRequest(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason);

    /**
     * Writes down what is done already, for the record alone. With a key that the actor has used
     * before, nothing is written.
     *
     * @param key idempotency key
     */
    SubmitResult recordCompletedRequest(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason);

    /** How a request stands. */
    Optional<RequestStatus> requestStatus(UUID id);

    /** What was asked of a node, newest first. */
    List<RequestWithStatus> findByNode(NodeId node, int limit);

    /**
     * A request and what became of it.
     *
     * @param at when it was decided, or asked while it is not
     */
    record RequestWithStatus(
            Instant at,
            OperatorNodeRequest request,
            String actor,
            String reason,
            RequestStatus status) {}
}
