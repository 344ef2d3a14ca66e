package drover.simulation.world;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** A connection whose process dies at a write: before it, or after it and before all effects. */
final class CrashingLeaderStore implements LeaderStore {
    private final LeaderStore store;
    private final Supplier<CrashPoint> deaths;
    private final Runnable fenced;

    /** When the process dies. */
    enum CrashPoint {
        /** Not at this write. */
        NONE,
        /** Before it is written. */
        BEFORE,
        /** Once it is written. */
        AFTER
    }

    /**
     * @param fenced told when a write is refused because another one leads
     */
    CrashingLeaderStore(LeaderStore store, Supplier<CrashPoint> deaths, Runnable fenced) {
        this.store = store;
        this.deaths = deaths;
        this.fenced = fenced;
    }

    private <T> T writeOrCrash(Supplier<T> what) {
        return switch (deaths.get()) {
            case NONE -> what.get();
            case BEFORE -> throw storeUnavailable(null);
            case AFTER -> throw storeUnavailable(what.get());
        };
    }

    private static StoreUnavailable storeUnavailable(
            @org.jspecify.annotations.Nullable Object answer) {
        return new StoreUnavailable(
                "writing", new IllegalStateException("the process died, unread: " + answer));
    }

    @Override
    public Commit.Outcome commit(Commit commit) {
        return notifyIfFenced(writeOrCrash(() -> store.commit(commit)));
    }

    private Commit.Outcome notifyIfFenced(Commit.Outcome outcome) {
        if (outcome instanceof Commit.Outcome.StaleEpoch) {
            fenced.run();
        }
        return outcome;
    }

    @Override
    public LateStatusResult applyLateStatus(
            long epoch, Commit.ReportedAttemptStatus report, Instant at) {
        return writeOrCrash(() -> store.applyLateStatus(epoch, report, at));
    }

    @Override
    public long takeOver(String holder) {
        return store.takeOver(holder);
    }

    @Override
    public boolean isCurrentEpoch(long epoch) {
        return store.isCurrentEpoch(epoch);
    }

    @Override
    public Instant databaseTime() {
        return store.databaseTime();
    }

    @Override
    public List<RolloutId> findActiveOrRequested() {
        return store.findActiveOrRequested();
    }

    @Override
    public Optional<RolloutWithHistoryHead> load(RolloutId id) {
        return store.load(id);
    }

    @Override
    public Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes) {
        return store.findReservations(nodes);
    }

    @Override
    public List<PendingRequest> pendingRequests(RolloutId id) {
        return store.pendingRequests(id);
    }

    @Override
    public Map<NodeId, byte[]> loadPayloads(RolloutId id, Collection<NodeId> nodes) {
        return store.loadPayloads(id, nodes);
    }

    @Override
    public Map<NodeId, StoredUnsignedCommand> loadCommands(
            RolloutId id, Map<NodeId, Long> attempts) {
        return store.loadCommands(id, attempts);
    }

    @Override
    public Map<String, byte[]> loadContents(Collection<String> digests) {
        return store.loadContents(digests);
    }

    @Override
    public Set<NodeId> findNodesWithStoredStatus(Collection<Commit.ReportedAttemptStatus> reports) {
        return store.findNodesWithStoredStatus(reports);
    }

    @Override
    public Set<NodeId> findSupersededNodes(RolloutId id) {
        return store.findSupersededNodes(id);
    }

    @Override
    public List<OpenAttempt> findOrphanedAttempts() {
        return store.findOrphanedAttempts();
    }

    @Override
    public LeaderOperatorNodeRequestStore nodeRequests() {
        LeaderOperatorNodeRequestStore ledger = store.nodeRequests();
        return new LeaderOperatorNodeRequestStore() {
            @Override
            public List<PendingNodeRequest> findPending() {
                return ledger.findPending();
            }

            @Override
            public Map<NodeId, Instant> findRetiredSince(Instant since) {
                return ledger.findRetiredSince(since);
            }

            @Override
            public WriteResult assignClear(
                    long epoch, PendingNodeRequest request, long attempt, byte[] body) {
                return writeOrCrash(() -> ledger.assignClear(epoch, request, attempt, body));
            }

            @Override
            public RetireResult retireNode(long epoch, PendingNodeRequest request, Instant at) {
                return writeOrCrash(() -> ledger.retireNode(epoch, request, at));
            }

            @Override
            public WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence) {
                return writeOrCrash(() -> ledger.refuse(epoch, request, code, sentence));
            }
        };
    }

    @Override
    public LeaderGroupStore groups() {
        LeaderGroupStore ledger = store.groups();
        return new LeaderGroupStore() {
            @Override
            public List<GroupId> findActiveOrRequested() {
                return ledger.findActiveOrRequested();
            }

            @Override
            public Optional<LoadedGroup> load(GroupId id) {
                return ledger.load(id);
            }

            @Override
            public List<PendingGroupRequest> pendingRequests(GroupId id) {
                return ledger.pendingRequests(id);
            }

            @Override
            public Set<NodeId> findGateNodes(GroupId id, int component) {
                return ledger.findGateNodes(id, component);
            }

            @Override
            public Set<NodeId> findSupersededNodes(GroupId id) {
                return ledger.findSupersededNodes(id);
            }

            @Override
            public Commit.Outcome commit(GroupCommit commit) {
                return notifyIfFenced(writeOrCrash(() -> ledger.commit(commit)));
            }
        };
    }

    @Override
    public LeaderIncidentStore incidents() {
        LeaderIncidentStore ledger = store.incidents();
        return new LeaderIncidentStore() {
            @Override
            public Map<OpenIncident, String> findOpenWhileReported() {
                return ledger.findOpenWhileReported();
            }

            @Override
            public List<UnhealthyAfterEnd> findUnhealthyAfterEnd() {
                return ledger.findUnhealthyAfterEnd();
            }

            @Override
            public Map<ProgramOfNode, LastProgramWork> findLastWork(Collection<NodeId> nodes) {
                return ledger.findLastWork(nodes);
            }

            @Override
            public boolean write(long epoch, List<IncidentChange> changes, Instant at) {
                return CrashingLeaderStore.this.writeOrCrash(
                        () -> ledger.write(epoch, changes, at));
            }
        };
    }
}
