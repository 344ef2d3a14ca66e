package drover.coordinator.store.request;

import drover.coordinator.plan.request.OperatorRequest;
import drover.model.RolloutId;
import java.util.Optional;
import java.util.UUID;

/** Operators' requests: written by any replica, decided by the loop of the rollout (rule R4). */
public interface RolloutRequestStore {
    /**
     * Writes a request down. With a key that the actor has used before, nothing is written.
     *
     * @param key idempotency key
     */
    SubmitResult submitRequest(
            RolloutId id, OperatorRequest request, String actor, String key, String reason);

    /** Whether a rollout is so long past that what a rollback of it needs was pruned. */
    default boolean isPruned(RolloutId id) {
        return false;
    }

    /** How a request stands. */
    Optional<RequestStatus> requestStatus(UUID id);

    /** What became of writing a request down. */
    sealed interface SubmitResult {
        /** It is written down, now or earlier under the same key. */
        record WrittenNowOrEarlier(UUID id) implements SubmitResult {}

        /** There is no such rollout. */
        record NoRollout() implements SubmitResult {}

        /** The key was used for another request. */
        record KeyReused() implements SubmitResult {}
    }

    /**
     * How a request stands.
     *
     * @param state pending, applied or refused
     */
    record RequestStatus(String state, String refusalCode, String refusalSentence) {}
}
