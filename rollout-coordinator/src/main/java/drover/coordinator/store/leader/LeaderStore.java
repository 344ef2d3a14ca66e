package drover.coordinator.store.leader;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.preflight.LeaderPreflightStore;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What the leader loads and commits. Every commit is fenced: PostgreSQL decides who may write
 * (DESIGN § 7). All methods throw {@link StoreUnavailable}.
 */
public interface LeaderStore {
    /** Takes over: waits for writers of the old epoch, bumps the epoch, and returns the new one. */
    long takeOver(String holder);

    /** Whether this epoch is still the latest. */
    boolean isCurrentEpoch(long epoch);

    /** The database's time. */
    Instant databaseTime();

    /**
     * Rollouts that a loop must care for: all that have not ended, and ended ones with an undecided
     * request.
     */
    List<RolloutId> findActiveOrRequested();

    /** A rollout with its batches and nodes. */
    Optional<RolloutWithHistoryHead> load(RolloutId id);

    /** What outlives rollouts, for these nodes; nodes without work are left out. */
    Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes);

    /**
     * Nodes on which a later attempt of another rollout has changed the program that this one
     * installed, and the change stands. Only what a rollback of an ended rollout needs to know.
     */
    Set<NodeId> findSupersededNodes(RolloutId id);

    /** Undecided requests of a rollout, oldest first. */
    List<PendingRequest> pendingRequests(RolloutId id);

    /** What these nodes will be sent, as frozen at creation. */
    Map<NodeId, byte[]> loadPayloads(RolloutId id, Collection<NodeId> nodes);

    /** Commands of these attempts as serialized when they were assigned. */
    Map<NodeId, StoredUnsignedCommand> loadCommands(RolloutId id, Map<NodeId, Long> attempts);

    /** Contents by digest. */
    Map<String, byte[]> loadContents(Collection<String> digests);

    /** Writes a step. */
    Commit.Outcome commit(Commit commit);

    /**
     * Which of these statuses are written down already, or later ones of the same attempts. Asked
     * for many at once: the last status of every node of a rollout that has just ended. A store
     * that names none is asked again for each of them.
     */
    default Set<NodeId> findNodesWithStoredStatus(
            Collection<Commit.ReportedAttemptStatus> reports) {
        return Set.of();
    }

    /**
     * Takes in a status of an attempt whose rollout has ended. Only a status that is in the
     * database afterwards may be acknowledged (invariant C10).
     */
    LateStatusResult applyLateStatus(long epoch, Commit.ReportedAttemptStatus report, Instant at);

    /** Attempts that their agents have not closed although their rollouts have ended (rule R1). */
    List<OpenAttempt> findOrphanedAttempts();

    /** Requests about nodes. */
    default LeaderOperatorNodeRequestStore nodeRequests() {
        return LeaderOperatorNodeRequestStore.NONE;
    }

    /** Preflights that were asked for. */
    default LeaderPreflightStore preflights() {
        return LeaderPreflightStore.NONE;
    }

    /** Rollout groups. */
    default LeaderGroupStore groups() {
        return LeaderGroupStore.NONE;
    }

    /** Incidents that agents tell of. */
    default LeaderIncidentStore incidents() {
        return LeaderIncidentStore.NONE;
    }

    /** An attempt that is not closed. */
    record OpenAttempt(NodeId node, long attempt) {}

    /** The rollout's own facts beside its state. */
    record RolloutWithHistoryHead(Rollout rollout, String historyHead, String traceId) {}

    /** An undecided request. */
    record PendingRequest(
            UUID id, String actor, String reason, OperatorRequest request, Instant createdAt) {}

    /** A command as stored. */
    @SuppressWarnings("ArrayRecordComponent") // sent as they are, never compared
    record StoredUnsignedCommand(byte[] body, boolean restore) {}
}
