package drover.coordinator.store.node;

import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Operators' requests about nodes as the leader's fleet loop decides them. Every write is fenced.
 * All methods throw {@link StoreUnavailable}.
 */
public interface LeaderOperatorNodeRequestStore {
    /** Where nobody can ask anything of nodes. */
    LeaderOperatorNodeRequestStore NONE = new EmptyLeaderOperatorNodeRequestStore();

    /**
     * Requests that are not done, oldest first; at most 1,000: the others have their turn later.
     */
    List<PendingNodeRequest> findPending();

    /** Nodes that were retired at this moment or later, whoever led then, and when last. */
    Map<NodeId, Instant> findRetiredSince(Instant since);

    /** Allots the attempt of a clear and writes down what its agent will be sent. */
    WriteResult assignClear(long epoch, PendingNodeRequest request, long attempt, byte[] body);

    /**
     * Closes whatever is open on a node as lost, and the request with it.
     *
     * @param at when, for the history
     */
    RetireResult retireNode(long epoch, PendingNodeRequest request, Instant at);

    /** Refuses a request. */
    WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence);

    /**
     * A request that is not done.
     *
     * @param attempt attempt allotted to a clear; 0 before
     * @param body what its agent is sent; null before
     */
    @SuppressWarnings("ArrayRecordComponent") // sent as it is, never compared
    record PendingNodeRequest(
            UUID id,
            NodeId node,
            OperatorNodeRequest kind,
            String actor,
            String reason,
            Instant createdAt,
            long attempt,
            byte @Nullable [] body) {}

    /** What became of a write. */
    enum WriteResult {
        /** It is written. */
        DONE,
        /** The node's attempts are not what they were thought to be: look again. */
        CONFLICT,
        /** Another leader has taken over: step down. */
        STALE_EPOCH
    }

    /** What became of a retirement. */
    sealed interface RetireResult {
        /**
         * It is written.
         *
         * @param attempt attempt that was closed as lost; 0 when none was open
         */
        record Done(long attempt) implements RetireResult {}

        /** A rollout still counts on the node; it gives the node up by its own deadlines. */
        record InFlight() implements RetireResult {}

        /** Another leader has taken over: step down. */
        record StaleEpoch() implements RetireResult {}
    }
}
