package drover.coordinator.plan.request;

import drover.coordinator.plan.batch.CanaryEvidence;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.model.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What an operator, or a group on an operator's behalf, asks of a rollout. */
public sealed interface OperatorRequest {
    /** Begin. */
    record Start() implements OperatorRequest {}

    /** Dispatch nothing more. */
    record Pause() implements OperatorRequest {}

    /**
     * Continue.
     *
     * @param acknowledgedFailures failures or unhealthy nodes that are accepted; 0 for none
     */
    record Resume(int acknowledgedFailures) implements OperatorRequest {}

    /** Dispatch nothing more, ever. */
    record Cancel() implements OperatorRequest {}

    /**
     * The canary is good: go on with the rest.
     *
     * @param evidence digest of what was looked at, see {@link CanaryEvidence}
     */
    record Approve(String evidence) implements OperatorRequest {
        public Approve {
            evidence = evidence == null ? "" : evidence; // requests recorded before there was any
        }
    }

    /** Go on whatever fails (seed 000, signal force; invariant A6). */
    record Force() implements OperatorRequest {}

    /**
     * Restore every modified node.
     *
     * @param health health gate of the rollback; empty for what the rollout was created with
     */
    record Rollback(Optional<RollbackHealthPolicy> health) implements OperatorRequest {
        public Rollback {
            health = health == null ? Optional.empty() : health; // earlier versions recorded none
        }

        /** With the health gate that the rollout was created with. */
        public Rollback() {
            this(Optional.empty());
        }

        @Override
        public String toString() {
            return "Rollback[" + health.map(RollbackHealthPolicy::name).orElse("") + "]";
        }
    }

    /** Try a node again. */
    record RetryNode(NodeId node) implements OperatorRequest {}

    /** Leave a node alone. */
    record SkipNode(NodeId node) implements OperatorRequest {}

    /**
     * Leave nodes alone.
     *
     * @param nodes which, in the order of their ids; empty for every node that holds the rollout up
     */
    record SkipNodes(List<NodeId> nodes) implements OperatorRequest {
        public SkipNodes {
            nodes =
                    nodes.stream()
                            .distinct()
                            .sorted()
                            .toList(); // asked again in another order, too
        }
    }

    /**
     * Do not touch a node for a while.
     *
     * @param until when the hold ends by itself
     */
    record HoldNode(NodeId node, Instant until) implements OperatorRequest {}

    /** A held node may have its turn. */
    record ReleaseNode(NodeId node) implements OperatorRequest {}

    /**
     * What a later version of a coordinator wrote down; nothing here knows what it means.
     *
     * @param kind the word it has there
     */
    record Unknown(String kind) implements OperatorRequest {}

    /** Whether it leads towards more risk: such a request expires after 60 s, the others never. */
    default boolean raisesRisk() {
        return switch (this) {
            case Start s -> true;
            case Resume r -> true;
            case Approve a -> true;
            case Force f -> true;
            case RetryNode r -> true;
            case Pause p -> false;
            case Cancel c -> false;
            case Rollback r -> false;
            case SkipNode s -> false;
            case SkipNodes s -> false;
            case HoldNode h -> false;
            case ReleaseNode r -> true;
            case Unknown u -> false; // refused at once, however old it is
        };
    }
}
