package drover.coordinator.store.commit;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.NodeId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one step of a rollout changes, written in one fenced transaction.
 *
 * @param before the rollout as it was loaded or last committed
 * @param after the rollout as it shall be, with the next revision
 * @param historyHead hash of the last history row before
 * @param attempts attempts newly allotted
 * @param statuses statuses taken in
 * @param requests requests decided
 * @param stalls incidents that the step opens and that no state tells of
 * @param decision what it was decided from; null when that is not kept
 */
public record Commit(
        long epoch,
        Rollout before,
        Rollout after,
        List<HistoryEntry> history,
        String historyHead,
        List<NewAttempt> attempts,
        List<ReportedAttemptStatus> statuses,
        List<DecidedRequest> requests,
        List<IncidentChange.Open> stalls,
        @Nullable RecordedDecisionInput decision) {
    /** A commit without stalls, of which nobody keeps what it was decided from. */
    public Commit(
            long epoch,
            Rollout before,
            Rollout after,
            List<HistoryEntry> history,
            String historyHead,
            List<NewAttempt> attempts,
            List<ReportedAttemptStatus> reports,
            List<DecidedRequest> requests) {
        this(
                epoch,
                before,
                after,
                history,
                historyHead,
                attempts,
                reports,
                requests,
                List.of(),
                null);
    }

    public Commit {
        history = List.copyOf(history);
        attempts = List.copyOf(attempts);
        statuses = List.copyOf(statuses);
        requests = List.copyOf(requests);
        stalls = List.copyOf(stalls);
    }

    /** The nodes that this step moves, as they are after it. */
    public List<NodeUpgrade> changedNodes() {
        return after.nodes().values().stream()
                .filter(node -> !node.equals(before.nodes().get(node.id())))
                .toList();
    }

    /**
     * Nodes that no automatic action may touch from this commit on, until an operator clears them
     * (invariant D14): those whose agent says so, and those that this step shows as failed_rollback
     * for whatever reason.
     */
    public Set<NodeId> newlyFailedRollbackNodes() {
        Set<NodeId> marked = new LinkedHashSet<>();
        statuses.stream()
                .filter(ReportedAttemptStatus::failedRollback)
                .map(ReportedAttemptStatus::node)
                .forEach(marked::add);
        changedNodes().stream()
                .filter(node -> node.state() instanceof NodeState.FailedRollback)
                .filter(node -> !wasFailedRollback(node.id()))
                .map(NodeUpgrade::id)
                .forEach(marked::add);
        return marked;
    }

    /** A node that stays what it was may have been cleared since. */
    private boolean wasFailedRollback(NodeId node) {
        NodeUpgrade was = before.nodes().get(node);
        return was != null && was.state() instanceof NodeState.FailedRollback;
    }

    /** What this step means for the incidents, in the order in which it is written. */
    public List<IncidentChange> incidentChanges() {
        return IncidentRules.changesBetween(before, after, stalls);
    }

    /** An attempt with the body that its node will be sent, serialized once. */
    @SuppressWarnings("ArrayRecordComponent") // written as they are, never compared
    public record NewAttempt(
            NodeId node, long attempt, long restoreOf, byte[] body, String bodyDigest) {}

    /**
     * A status as the agent sent it.
     *
     * @param terminal whether it closes the attempt
     * @param failedRollback whether the node needs a person from now on
     * @param detail sentence of the agent that explains the outcome; empty if it sent none
     * @param runningDigest program that runs; empty if none does or it is not known
     * @param configDigest its configuration; empty if it is not known
     */
    @SuppressWarnings("ArrayRecordComponent") // written as they are, never compared
    public record ReportedAttemptStatus(
            NodeId node,
            long attempt,
            long sequence,
            byte[] bytes,
            String outcome,
            boolean terminal,
            boolean failedRollback,
            String detail,
            String runningDigest,
            String configDigest) {}

    /**
     * A request and what became of it.
     *
     * @param refusalCode empty when it was applied
     */
    public record DecidedRequest(UUID id, String refusalCode, String refusalSentence) {
        /** It was applied. */
        public static DecidedRequest applied(UUID id) {
            return new DecidedRequest(id, "", "");
        }
    }

    /** What became of a commit. */
    public sealed interface Outcome {
        /**
         * It is written.
         *
         * @param historyHead hash of the last history row now
         */
        record Committed(String historyHead) implements Outcome {}

        /** Another leader has taken over: step down. */
        record StaleEpoch() implements Outcome {}

        /** The rollout is not at the revision expected: load it again. */
        record Conflict() implements Outcome {}

        /** The chain belongs to another rollout: a rollback cannot claim it. */
        record ChainBusy() implements Outcome {}
    }
}
