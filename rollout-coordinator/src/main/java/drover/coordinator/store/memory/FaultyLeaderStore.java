package drover.coordinator.store.memory;

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
import drover.coordinator.store.preflight.LeaderPreflightStore;
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

/** A connection to another store that fails as connections to a database do. */
public final class FaultyLeaderStore implements LeaderStore {
    private final LeaderStore store;
    private final Supplier<Fault> faults;
    private final Supplier<Fault> ledgerFaults;

    /** What happens to one call. */
    public enum Fault {
        /** Nothing. */
        NONE,
        /** The call does not arrive. */
        UNAVAILABLE,
        /** A write is done, and its answer is lost (B8); a read fails. */
        ANSWER_LOST
    }

    /**
     * A connection.
     *
     * @param faults asked once for each call
     */
    public FaultyLeaderStore(LeaderStore store, Supplier<Fault> faults) {
        this(store, faults, faults);
    }

    /**
     * A connection.
     *
     * @param faults asked once for each call about rollouts and nodes
     * @param ledgerFaults asked once for each call about groups and incidents
     */
    public FaultyLeaderStore(
            LeaderStore store, Supplier<Fault> faults, Supplier<Fault> ledgerFaults) {
        this.store = store;
        this.faults = faults;
        this.ledgerFaults = ledgerFaults;
    }

    private <T> T callWithFault(Supplier<T> what) {
        return callWithFault(faults.get(), what);
    }

    private <T> T callGroupOrIncidentStore(Supplier<T> what) {
        return callWithFault(ledgerFaults.get(), what);
    }

    private static <T> T callWithFault(Fault fault, Supplier<T> what) {
        return switch (fault) {
            case NONE -> what.get();
            case UNAVAILABLE -> throw unavailable("calling the database");
            case ANSWER_LOST -> {
                T lost = what.get();
                throw unavailable("waiting for the database's answer, which was " + lost);
            }
        };
    }

    private static StoreUnavailable unavailable(String doing) {
        return new StoreUnavailable(doing, new IllegalStateException("the connection is lost"));
    }

    @Override
    public long takeOver(String holder) {
        return callWithFault(() -> store.takeOver(holder));
    }

    @Override
    public boolean isCurrentEpoch(long epoch) {
        return callWithFault(() -> store.isCurrentEpoch(epoch));
    }

    @Override
    public Instant databaseTime() {
        return callWithFault(store::databaseTime);
    }

    @Override
    public List<RolloutId> findActiveOrRequested() {
        return callWithFault(store::findActiveOrRequested);
    }

    @Override
    public Optional<RolloutWithHistoryHead> load(RolloutId id) {
        return callWithFault(() -> store.load(id));
    }

    @Override
    public Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes) {
        return callWithFault(() -> store.findReservations(nodes));
    }

    @Override
    public Set<NodeId> findSupersededNodes(RolloutId id) {
        return callWithFault(() -> store.findSupersededNodes(id));
    }

    @Override
    public List<PendingRequest> pendingRequests(RolloutId id) {
        return callWithFault(() -> store.pendingRequests(id));
    }

    @Override
    public Map<NodeId, byte[]> loadPayloads(RolloutId id, Collection<NodeId> nodes) {
        return callWithFault(() -> store.loadPayloads(id, nodes));
    }

    @Override
    public Map<NodeId, StoredUnsignedCommand> loadCommands(
            RolloutId id, Map<NodeId, Long> attempts) {
        return callWithFault(() -> store.loadCommands(id, attempts));
    }

    @Override
    public Map<String, byte[]> loadContents(Collection<String> digests) {
        return callWithFault(() -> store.loadContents(digests));
    }

    @Override
    public Commit.Outcome commit(Commit commit) {
        return callWithFault(() -> store.commit(commit));
    }

    @Override
    public LateStatusResult applyLateStatus(
            long epoch, Commit.ReportedAttemptStatus report, Instant at) {
        return callWithFault(() -> store.applyLateStatus(epoch, report, at));
    }

    @Override
    public List<OpenAttempt> findOrphanedAttempts() {
        return callWithFault(store::findOrphanedAttempts);
    }

    @Override
    public LeaderOperatorNodeRequestStore nodeRequests() {
        LeaderOperatorNodeRequestStore ledger = store.nodeRequests();
        return new LeaderOperatorNodeRequestStore() {
            @Override
            public List<PendingNodeRequest> findPending() {
                return callWithFault(ledger::findPending);
            }

            @Override
            public Map<NodeId, Instant> findRetiredSince(Instant since) {
                return callWithFault(() -> ledger.findRetiredSince(since));
            }

            @Override
            public WriteResult assignClear(
                    long epoch, PendingNodeRequest request, long attempt, byte[] body) {
                return callWithFault(() -> ledger.assignClear(epoch, request, attempt, body));
            }

            @Override
            public RetireResult retireNode(long epoch, PendingNodeRequest request, Instant at) {
                return callWithFault(() -> ledger.retireNode(epoch, request, at));
            }

            @Override
            public WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence) {
                return callWithFault(() -> ledger.refuse(epoch, request, code, sentence));
            }
        };
    }

    @Override
    public LeaderPreflightStore preflights() {
        return store.preflights(); // its connection never fails: what is asked is asked again
    }

    @Override
    public LeaderGroupStore groups() {
        LeaderGroupStore ledger = store.groups();
        return new LeaderGroupStore() {
            @Override
            public List<GroupId> findActiveOrRequested() {
                return callGroupOrIncidentStore(ledger::findActiveOrRequested);
            }

            @Override
            public Optional<LoadedGroup> load(GroupId id) {
                return callGroupOrIncidentStore(() -> ledger.load(id));
            }

            @Override
            public List<PendingGroupRequest> pendingRequests(GroupId id) {
                return callGroupOrIncidentStore(() -> ledger.pendingRequests(id));
            }

            @Override
            public Set<NodeId> findGateNodes(GroupId id, int component) {
                return callGroupOrIncidentStore(() -> ledger.findGateNodes(id, component));
            }

            @Override
            public Set<NodeId> findSupersededNodes(GroupId id) {
                return callGroupOrIncidentStore(() -> ledger.findSupersededNodes(id));
            }

            @Override
            public Commit.Outcome commit(GroupCommit commit) {
                return callGroupOrIncidentStore(() -> ledger.commit(commit));
            }
        };
    }

    @Override
    public LeaderIncidentStore incidents() {
        LeaderIncidentStore ledger = store.incidents();
        return new LeaderIncidentStore() {
            @Override
            public Map<OpenIncident, String> findOpenWhileReported() {
                return callGroupOrIncidentStore(ledger::findOpenWhileReported);
            }

            @Override
            public List<UnhealthyAfterEnd> findUnhealthyAfterEnd() {
                return callGroupOrIncidentStore(ledger::findUnhealthyAfterEnd);
            }

            @Override
            public Map<ProgramOfNode, LastProgramWork> findLastWork(Collection<NodeId> nodes) {
                return callGroupOrIncidentStore(() -> ledger.findLastWork(nodes));
            }

            @Override
            public boolean write(long epoch, List<IncidentChange> changes, Instant at) {
                return callGroupOrIncidentStore(() -> ledger.write(epoch, changes, at));
            }
        };
    }
}
