package drover.coordinator.store.memory;

import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.check.ObservationChecker;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator's schema without a database: the same fence, the same refusals, one transaction
 * at a time. What a transaction refuses with an exception it has not written. Its tests are those
 * of the tables in PostgreSQL.
 */
public final class InMemoryCoordinatorStore
        implements LeaderStore, RolloutCreationStore, RolloutRequestStore {
    private final Supplier<Instant> clock;
    private final InMemoryTables tables = new InMemoryTables();
    private final Map<String, byte[]> contents = new HashMap<>();
    private final Map<String, ExistingRollout> created = new HashMap<>();
    private final List<CommitListener> watchers = new ArrayList<>();
    private final InMemoryOperatorNodeRequestStore nodeRequests;
    private final InMemoryGroupStore groups;
    private final InMemoryIncidentStore incidents;
    private long epoch;

    /** Told of every commit of a rollout or a group, in order. */
    public interface CommitListener {
        /** It is written. */
        void onCommit(Commit commit);

        /** A status is written that came after the end of its rollout. */
        void onStatusAfterRolloutEnd(Commit.ReportedAttemptStatus report);

        /** An agent has looked at its node, as it was asked: the node's mark is gone. */
        void onCleared(NodeId node);

        /** The tables themselves refuse it: the last line behind the planner. */
        void onRejected(Commit commit, RuntimeException why);

        /** A step of a group is written. */
        default void onCommit(LeaderGroupStore.GroupCommit commit) {}

        /** The tables themselves refuse a step of a group. */
        default void onRejected(LeaderGroupStore.GroupCommit commit, RuntimeException why) {}
    }

    /**
     * Empty tables.
     *
     * @param clock the database's time
     */
    public InMemoryCoordinatorStore(Supplier<Instant> clock) {
        this.clock = clock;
        this.nodeRequests =
                new InMemoryOperatorNodeRequestStore(this, tables, mine -> mine == epoch, clock);
        this.groups =
                new InMemoryGroupStore(
                        this, tables, mine -> mine == epoch, clock, this::insert, watchers);
        this.incidents = new InMemoryIncidentStore(this, tables, mine -> mine == epoch, clock);
    }

    /** Tells of every commit from now on. */
    public synchronized void addListener(CommitListener watcher) {
        watchers.add(watcher);
    }

    @Override
    public synchronized long takeOver(String holder) {
        return ++epoch;
    }

    @Override
    public synchronized boolean isCurrentEpoch(long mine) {
        return mine == epoch;
    }

    @Override
    public synchronized Instant databaseTime() {
        return clock.get();
    }

    @Override
    public synchronized List<RolloutId> findActiveOrRequested() {
        return tables.findActiveOrRequested();
    }

    @Override
    public synchronized Optional<RolloutWithHistoryHead> load(RolloutId id) {
        return Optional.ofNullable(tables.rollouts.get(id))
                .map(row -> new RolloutWithHistoryHead(row.rollout, row.head(), row.traceId));
    }

    /** A rollout's history, oldest first. */
    public synchronized List<HistoryEntry> history(RolloutId id) {
        InMemoryTables.RolloutRow row = tables.rollouts.get(id);
        return row == null ? List.of() : List.copyOf(row.history);
    }

    /** Every rollout, in the order of creation. */
    public synchronized List<Rollout> rollouts() {
        return tables.rollouts.values().stream().map(row -> row.rollout).toList();
    }

    /** The statuses that are written down, by node and attempt: what may be acknowledged (C10). */
    public synchronized long lastSequence(NodeId node, long attempt) {
        InMemoryTables.AttemptRow row = tables.findAttempt(node, attempt);
        return row == null ? 0 : row.sequence;
    }

    /** The latest status of every attempt. */
    public synchronized List<ObservationChecker.AttemptStatusRecord> latestStatuses() {
        List<ObservationChecker.AttemptStatusRecord> reported = new ArrayList<>();
        tables.attempts.forEach(
                (node, rows) ->
                        rows.forEach(
                                (attempt, row) ->
                                        reported.add(
                                                new ObservationChecker.AttemptStatusRecord(
                                                        node.value(),
                                                        attempt,
                                                        row.sequence,
                                                        row.outcome,
                                                        row.open))));
        return reported;
    }

    /** The latest attempt's body of a node; null when it never had one. */
    public synchronized byte @Nullable [] commandBody(NodeId node, long attempt) {
        InMemoryTables.AttemptRow row = tables.findAttempt(node, attempt);
        return row == null ? null : row.body;
    }

    @Override
    public synchronized Map<NodeId, NodeAttemptsAndReservation> findReservations(
            Collection<NodeId> nodes) {
        return tables.findReservations(nodes);
    }

    @Override
    public synchronized Set<NodeId> findSupersededNodes(RolloutId id) {
        return new InMemorySupersededNodeFinder(tables, id).findSupersededNodes();
    }

    @Override
    public synchronized List<PendingRequest> pendingRequests(RolloutId id) {
        return tables.requests.values().stream()
                .filter(row -> row.rollout.equals(id) && row.state.equals("pending"))
                .map(row -> row.request)
                .toList();
    }

    @Override
    public synchronized Map<NodeId, byte[]> loadPayloads(RolloutId id, Collection<NodeId> nodes) {
        Map<NodeId, byte[]> found = new HashMap<>();
        InMemoryTables.RolloutRow row = tables.rollouts.get(id);
        for (NodeId node : nodes) {
            byte[] payload = row == null ? null : row.payloads.get(node);
            if (payload != null) {
                found.put(node, payload);
            }
        }
        return found;
    }

    @Override
    public synchronized Map<NodeId, StoredUnsignedCommand> loadCommands(
            RolloutId id, Map<NodeId, Long> attempts) {
        Map<NodeId, StoredUnsignedCommand> commands = new HashMap<>();
        attempts.forEach(
                (node, attempt) -> {
                    InMemoryTables.AttemptRow row = tables.findAttempt(node, attempt);
                    if (row != null) {
                        commands.put(node, new StoredUnsignedCommand(row.body, row.restoreOf != 0));
                    }
                });
        return commands;
    }

    @Override
    public synchronized Map<String, byte[]> loadContents(Collection<String> digests) {
        Map<String, byte[]> found = new HashMap<>();
        for (String digest : digests) {
            byte[] data = contents.get(digest);
            if (data != null) {
                found.put(digest, data);
            }
        }
        return found;
    }

    @Override
    public synchronized Commit.Outcome commit(Commit commit) {
        if (commit.epoch() != epoch) {
            return new Commit.Outcome.StaleEpoch();
        }
        try {
            Commit.Outcome outcome = new InMemoryCommitWriter(tables, commit, clock.get()).run();
            if (outcome instanceof Commit.Outcome.Committed) {
                watchers.forEach(watcher -> watcher.onCommit(commit));
            }
            return outcome;
        } catch (RuntimeException e) {
            watchers.forEach(watcher -> watcher.onRejected(commit, e));
            throw e;
        }
    }

    @Override
    public synchronized LateStatusResult applyLateStatus(
            long mine, Commit.ReportedAttemptStatus report, Instant at) {
        if (mine != epoch) {
            return LateStatusResult.STALE_EPOCH;
        }
        LateStatusResult late = new InMemoryLateStatusWriter(tables, mine, report, at).run();
        if (late == LateStatusResult.WRITTEN || late == LateStatusResult.CLEARED) {
            watchers.forEach(watcher -> watcher.onStatusAfterRolloutEnd(report));
        }
        if (late == LateStatusResult.CLEARED) {
            watchers.forEach(watcher -> watcher.onCleared(report.node()));
        }
        return late;
    }

    @Override
    public synchronized List<OpenAttempt> findOrphanedAttempts() {
        List<OpenAttempt> strays = new ArrayList<>();
        tables.attempts.forEach(
                (node, rows) ->
                        rows.forEach(
                                (attempt, row) -> {
                                    if (row.open && tables.hasEnded(row.rollout)) {
                                        strays.add(new OpenAttempt(node, attempt));
                                    }
                                }));
        return strays;
    }

    @Override
    public LeaderOperatorNodeRequestStore nodeRequests() {
        return nodeRequests;
    }

    /** Where operators ask something of nodes. */
    public OperatorNodeRequestStore nodeRequestStore() {
        return nodeRequests;
    }

    @Override
    public InMemoryGroupStore groups() {
        return groups;
    }

    @Override
    public InMemoryIncidentStore incidents() {
        return incidents;
    }

    /** The rollout or group that has the chain (A2). */
    public synchronized Optional<RolloutId> findChainOwner(ChainProfileId chain) {
        return Optional.ofNullable(tables.chains.get(chain));
    }

    /** Nodes that wait to be cleared. */
    public synchronized Set<NodeId> failedRollbackNodes() {
        return Set.copyOf(tables.failedRollbacks);
    }

    @Override
    public synchronized CreationResult create(NewRollout fresh) {
        Rollout rollout = fresh.rollout();
        Optional<ExistingRollout> earlier = findByIdempotencyKey(fresh.actor(), fresh.key());
        if (earlier.isPresent()) {
            return new CreationResult.Repeated(earlier.get());
        }
        RolloutId owner = tables.chains.putIfAbsent(rollout.spec().chain(), rollout.id());
        if (owner != null) {
            return new CreationResult.ChainBusy(owner);
        }
        insert(fresh);
        if (!fresh.key().isEmpty()) {
            created.put(
                    fresh.actor() + "/" + fresh.key(),
                    new ExistingRollout(rollout.id(), fresh.requestDigest()));
        }
        return new CreationResult.Written();
    }

    private void insert(NewRollout fresh) {
        tables.rollouts.put(fresh.rollout().id(), new InMemoryTables.RolloutRow(fresh));
        contents.putAll(fresh.contents());
    }

    @Override
    public synchronized Optional<ExistingRollout> findByIdempotencyKey(String actor, String key) {
        return Optional.ofNullable(created.get(actor + "/" + key));
    }

    @Override
    public synchronized Map<NodeId, VerifiedProgram> findVerifiedByLastAttempt(
            BinaryName program, Collection<NodeId> nodes) {
        return new InMemoryVerifiedProgramFinder(tables, program).findVerifiedByLastAttempt(nodes);
    }

    @Override
    public synchronized SubmitResult submitRequest(
            RolloutId id, OperatorRequest request, String actor, String key, String reason) {
        if (!tables.rollouts.containsKey(id)) {
            return new SubmitResult.NoRollout();
        }
        InMemoryTables.RequestRow earlier = tables.findRequest(actor, key);
        if (earlier != null) {
            boolean same = earlier.rollout.equals(id) && earlier.request.request().equals(request);
            return same
                    ? new SubmitResult.WrittenNowOrEarlier(earlier.request.id())
                    : new SubmitResult.KeyReused();
        }
        return new SubmitResult.WrittenNowOrEarlier(
                tables.insertRequest(id, key, actor, reason, request, clock.get()).id());
    }

    @Override
    public synchronized Optional<RequestStatus> requestStatus(UUID id) {
        return Optional.ofNullable(tables.requests.get(id))
                .map(row -> new RequestStatus(row.state, row.refusalCode, row.refusalSentence));
    }
}
