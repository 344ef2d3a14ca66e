package drover.coordinator.store.create;

import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.coordinator.plan.model.Rollout;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes new rollouts, each in one transaction (rule R4: the one transaction of its creation). */
public interface RolloutCreationStore {
    /**
     * Writes a rollout with everything it froze, unless its key has written one already: of calls
     * that come at once with the same key one writes, and the others are told of it.
     */
    CreationResult create(NewRollout rollout);

    /** The rollout that this actor created with this key, if it did. */
    Optional<ExistingRollout> findByIdempotencyKey(String actor, String key);

    /**
     * What the last attempt on this program that began proved to run on these nodes, and when it
     * said so last. One that is missing never had such an attempt, or nothing is proven of it.
     */
    Map<NodeId, VerifiedProgram> findVerifiedByLastAttempt(
            BinaryName program, Collection<NodeId> nodes);

    /**
     * Highest attempt and flags of nodes are kept elsewhere; this is what creation freezes.
     *
     * @param plan what it would do now, as text; empty for none
     */
    record NewRollout(
            Rollout rollout,
            long canarySeed,
            String traceId,
            String actor,
            String key,
            String requestDigest,
            Map<NodeId, byte[]> payloads,
            Map<String, byte[]> contents,
            List<drover.coordinator.plan.model.Transition> history,
            String plan) {
        /** Without a plan. */
        public NewRollout(
                Rollout rollout,
                long canarySeed,
                String traceId,
                String actor,
                String key,
                String requestDigest,
                Map<NodeId, byte[]> payloads,
                Map<String, byte[]> contents,
                List<drover.coordinator.plan.model.Transition> history) {
            this(
                    rollout,
                    canarySeed,
                    traceId,
                    actor,
                    key,
                    requestDigest,
                    payloads,
                    contents,
                    history,
                    "");
        }
    }

    /** A rollout created earlier with the same key. */
    record ExistingRollout(RolloutId id, String requestDigest) {}

    /** What became of a creation. */
    sealed interface CreationResult {
        /** It is written. */
        record Written() implements CreationResult {}

        /** Another rollout has the chain. */
        record ChainBusy(RolloutId owner) implements CreationResult {}

        /** Nothing is written: a call with the same key was faster. */
        record Repeated(ExistingRollout earlier) implements CreationResult {}
    }
}
