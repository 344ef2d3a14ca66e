package drover.coordinator.store.group;

import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.GroupId;
import drover.model.RolloutId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What every replica writes of groups: their one transaction of creation, and operators' requests.
 * All methods throw {@link StoreUnavailable}.
 */
public interface GroupStore {
    /** Writes a group with all its components, or nothing. */
    CreationResult create(NewGroup group);

    /** The group that this actor created with this key, if it did. */
    Optional<ExistingGroup> findByIdempotencyKey(String actor, String key);

    /**
     * Writes a request down. With a key that the actor has used before, nothing is written.
     *
     * @param key idempotency key
     */
    SubmitResult submitRequest(
            GroupId id, GroupRequest request, String actor, String key, String reason);

    /** Whether what a rollback of one of its components needs was pruned. */
    default boolean hasPrunedComponent(GroupId id) {
        return false;
    }

    /** How a request stands. */
    Optional<RequestStatus> requestStatus(UUID id);

    /** What creation freezes. */
    record NewGroup(
            RolloutGroup group,
            List<NewRollout> components,
            String actor,
            String key,
            String requestDigest,
            List<drover.coordinator.plan.model.Transition> history) {
        public NewGroup {
            components = List.copyOf(components);
            history = List.copyOf(history);
        }
    }

    /** A group created earlier with the same key. */
    record ExistingGroup(GroupId id, String requestDigest) {}

    /** What became of a creation. */
    sealed interface CreationResult {
        /** It is written. */
        record Written() implements CreationResult {}

        /** Somebody has the chain: a rollout or a group. */
        record ChainBusy(RolloutId owner) implements CreationResult {}

        /** Nothing is written: a call with the same key was faster. */
        record Repeated(ExistingGroup earlier) implements CreationResult {}
    }
}
