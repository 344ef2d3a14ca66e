package drover.simulation.world;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules.LastWork;
import drover.coordinator.plan.observed.FleetView.NodeReservation;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.LeaderNodeRequestStore;
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
    private final Supplier<Death> deaths;
    private final Runnable fenced;

    /** When the process dies. */
    enum Death {
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
    CrashingLeaderStore(LeaderStore store, Supplier<Death> deaths, Runnable fenced) {
        this.store = store;
        this.deaths = deaths;
        this.fenced = fenced;
    }

    private <T> T write(Supplier<T> what) {
        return switch (deaths.get()) {
            case NONE -> what.get();
            case BEFORE -> throw died(null);
            case AFTER -> throw died(what.get());
        };
    }

    private static StoreUnavailable died(@org.jspecify.annotations.Nullable Object answer) {
        return new StoreUnavailable(
                "writing", new IllegalStateException("the process died, unread: " + answer));
    }

    @Override
    public Commit.Outcome commit(Commit commit) {
        return observe(write(() -> store.commit(commit)));
    }

    private Commit.Outcome observe(Commit.Outcome outcome) {
        if (outcome instanceof Commit.Outcome.StaleEpoch) {
            fenced.run();
        }
        return outcome;
    }

    @Override
    public LateStatusResult applyLateStatus(long epoch, Commit.StatusUpdate report, Instant at) {
        return write(() -> store.applyLateStatus(epoch, report, at));
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
    public Instant now() {
        return store.now();
    }

    @Override
    public List<RolloutId> active() {
        return store.active();
    }

    @Override
    public Optional<Loaded> load(RolloutId id) {
        return store.load(id);
    }

    @Override
    public Map<NodeId, NodeReservation> reservations(Collection<NodeId> nodes) {
        return store.reservations(nodes);
    }

    @Override
    public List<PendingRequest> pendingRequests(RolloutId id) {
        return store.pendingRequests(id);
    }

    @Override
    public Map<NodeId, byte[]> payloads(RolloutId id, Collection<NodeId> nodes) {
        return store.payloads(id, nodes);
    }

    @Override
    public Map<NodeId, StoredCommand> commands(RolloutId id, Map<NodeId, Long> attempts) {
        return store.commands(id, attempts);
    }

    @Override
    public Map<String, byte[]> contents(Collection<String> digests) {
        return store.contents(digests);
    }

    @Override
    public Set<NodeId> written(Collection<Commit.StatusUpdate> reports) {
        return store.written(reports);
    }

    @Override
    public Set<NodeId> superseded(RolloutId id) {
        return store.superseded(id);
    }

    @Override
    public List<OpenAttempt> orphanedAttempts() {
        return store.orphanedAttempts();
    }

    @Override
    public LeaderNodeRequestStore nodeRequests() {
        LeaderNodeRequestStore ledger = store.nodeRequests();
        return new LeaderNodeRequestStore() {
            @Override
            public List<Pending> pending() {
                return ledger.pending();
            }

            @Override
            public Map<NodeId, Instant> retiredSince(Instant since) {
                return ledger.retiredSince(since);
            }

            @Override
            public WriteResult clear(long epoch, Pending request, long attempt, byte[] body) {
                return write(() -> ledger.clear(epoch, request, attempt, body));
            }

            @Override
            public RetireResult retire(long epoch, Pending request, Instant at) {
                return write(() -> ledger.retire(epoch, request, at));
            }

            @Override
            public WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence) {
                return write(() -> ledger.refuse(epoch, request, code, sentence));
            }
        };
    }

    @Override
    public LeaderGroupStore groups() {
        LeaderGroupStore ledger = store.groups();
        return new LeaderGroupStore() {
            @Override
            public List<GroupId> active() {
                return ledger.active();
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
            public Set<NodeId> gateNodes(GroupId id, int component) {
                return ledger.gateNodes(id, component);
            }

            @Override
            public Set<NodeId> superseded(GroupId id) {
                return ledger.superseded(id);
            }

            @Override
            public Commit.Outcome commit(GroupCommit commit) {
                return observe(write(() -> ledger.commit(commit)));
            }
        };
    }

    @Override
    public LeaderIncidentStore incidents() {
        LeaderIncidentStore ledger = store.incidents();
        return new LeaderIncidentStore() {
            @Override
            public List<OpenIncident> openIncidents() {
                return ledger.openIncidents();
            }

            @Override
            public Map<ProgramOfNode, LastWork> lastWork(Collection<NodeId> nodes) {
                return ledger.lastWork(nodes);
            }

            @Override
            public boolean write(long epoch, List<IncidentChange> changes, Instant at) {
                return CrashingLeaderStore.this.write(() -> ledger.write(epoch, changes, at));
            }
        };
    }
}
