package drover.coordinator.store.memory;

import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.request.TwoPersonRule;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.group.GroupStore;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.group.PostgresGroupStore;
import drover.coordinator.store.group.PostgresLeaderGroupStore;
import drover.coordinator.store.memory.InMemoryCoordinatorStore.CommitListener;
import drover.coordinator.store.memory.InMemoryTables.GroupRequestRow;
import drover.coordinator.store.memory.InMemoryTables.GroupRow;
import drover.coordinator.store.memory.InMemoryTables.RequestRow;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Groups in memory, as {@link PostgresLeaderGroupStore} and {@link PostgresGroupStore} keep them.
 * Under the lock of the store that it belongs to.
 */
public final class InMemoryGroupStore implements LeaderGroupStore, GroupStore {
    private final Object lock;
    private final InMemoryTables tables;
    private final LongPredicate leads;
    private final Supplier<Instant> clock;
    private final Consumer<RolloutCreationStore.NewRollout> insert;
    private final List<CommitListener> watchers;
    private final Map<String, ExistingGroup> created = new HashMap<>();

    /**
     * @param lock the store's
     * @param leads whether an epoch is the latest
     * @param insert writes a rollout without a claim of its own
     * @param watchers of the store
     */
    InMemoryGroupStore(
            Object lock,
            InMemoryTables tables,
            LongPredicate leads,
            Supplier<Instant> clock,
            Consumer<RolloutCreationStore.NewRollout> insert,
            List<CommitListener> watchers) {
        this.lock = lock;
        this.tables = tables;
        this.leads = leads;
        this.clock = clock;
        this.insert = insert;
        this.watchers = watchers;
    }

    @Override
    public CreationResult create(NewGroup fresh) {
        synchronized (lock) {
            Optional<ExistingGroup> earlier = findByIdempotencyKey(fresh.actor(), fresh.key());
            if (earlier.isPresent()) {
                return new CreationResult.Repeated(earlier.get());
            }
            RolloutGroup group = fresh.group();
            RolloutId owner =
                    tables.chains.putIfAbsent(
                            group.spec().chain(), new RolloutId(group.id().value()));
            if (owner != null) {
                return new CreationResult.ChainBusy(owner);
            }
            GroupRow row = new GroupRow(group);
            Instant since = group.state().since();
            fresh.history()
                    .forEach(
                            transition ->
                                    row.append(
                                            HistoryEntry.of(transition, since, 0, fresh.actor())));
            tables.groups.put(group.id(), row);
            fresh.components().forEach(insert);
            if (!fresh.key().isEmpty()) {
                created.put(
                        fresh.actor() + "/" + fresh.key(),
                        new ExistingGroup(group.id(), fresh.requestDigest()));
            }
            return new CreationResult.Written();
        }
    }

    @Override
    public Optional<ExistingGroup> findByIdempotencyKey(String actor, String key) {
        synchronized (lock) {
            return Optional.ofNullable(created.get(actor + "/" + key));
        }
    }

    @Override
    public SubmitResult submitRequest(
            GroupId id, GroupRequest request, String actor, String key, String reason) {
        synchronized (lock) {
            if (!tables.groups.containsKey(id)) {
                return new SubmitResult.NoRollout();
            }
            Optional<GroupRequestRow> earlier =
                    tables.groupRequests.values().stream()
                            .filter(row -> row.key.equals(key) && row.request.actor().equals(actor))
                            .findFirst();
            if (earlier.isPresent()) {
                GroupRequestRow row = earlier.get();
                boolean same = row.group.equals(id) && row.request.request().equals(request);
                return same
                        ? new SubmitResult.WrittenNowOrEarlier(row.request.id())
                        : new SubmitResult.KeyReused();
            }
            UUID requestId = new UUID(2, tables.groupRequests.size() + 1L);
            PendingGroupRequest requested =
                    new PendingGroupRequest(requestId, actor, reason, request, clock.get());
            tables.groupRequests.put(requestId, new GroupRequestRow(id, key, requested));
            return new SubmitResult.WrittenNowOrEarlier(requestId);
        }
    }

    @Override
    public Optional<RequestStatus> requestStatus(UUID id) {
        synchronized (lock) {
            return Optional.ofNullable(tables.groupRequests.get(id)).map(row -> row.status);
        }
    }

    /** Every group, in the order of creation. */
    public List<RolloutGroup> allGroups() {
        synchronized (lock) {
            return tables.groups.values().stream().map(row -> row.group).toList();
        }
    }

    /** A group's history, oldest first. */
    public List<HistoryEntry> history(GroupId id) {
        synchronized (lock) {
            GroupRow row = tables.groups.get(id);
            return row == null ? List.of() : List.copyOf(row.history);
        }
    }

    @Override
    public List<GroupId> findActiveOrRequested() {
        synchronized (lock) {
            Set<GroupId> active = new LinkedHashSet<>();
            tables.chains.values().stream()
                    .map(owner -> new GroupId(owner.value()))
                    .filter(tables.groups::containsKey)
                    .forEach(active::add);
            tables.groupRequests.values().stream()
                    .filter(GroupRequestRow::isPending)
                    .forEach(row -> active.add(row.group));
            return List.copyOf(active);
        }
    }

    @Override
    public Optional<LoadedGroup> load(GroupId id) {
        synchronized (lock) {
            return Optional.ofNullable(tables.groups.get(id))
                    .map(
                            row ->
                                    new LoadedGroup(
                                            row.group,
                                            row.head(),
                                            componentRows(row).stream()
                                                    .map(InMemoryGroupStore::toComponentSummary)
                                                    .toList(),
                                            componentRequestStatuses(id)));
        }
    }

    private List<RolloutRow> componentRows(GroupRow row) {
        return row.components().stream()
                .map(id -> Objects.requireNonNull(tables.rollouts.get(id), "no such rollout"))
                .toList();
    }

    private static ComponentRolloutSummary toComponentSummary(RolloutRow row) {
        return new ComponentRolloutSummary(
                row.rollout.state(),
                row.started,
                row.createdBy,
                TwoPersonRule.secondPersonReason(row.rollout.spec(), row.rollout.nodes().size()));
    }

    private Map<String, RequestToComponent.Status> componentRequestStatuses(GroupId id) {
        String actor = RequestToComponent.groupActor(id);
        Map<String, RequestToComponent.Status> steerings = new HashMap<>();
        tables.requests.values().stream()
                .filter(row -> row.request.actor().equals(actor))
                .forEach(row -> steerings.put(row.key, toRequestStatus(row)));
        return steerings;
    }

    private static RequestToComponent.Status toRequestStatus(RequestRow row) {
        return switch (row.state) {
            case "applied" -> new RequestToComponent.Status.Applied();
            case "refused" ->
                    new RequestToComponent.Status.Refused(
                            RefusalCode.fromStored(row.refusalCode), row.refusalSentence);
            default -> new RequestToComponent.Status.Pending();
        };
    }

    @Override
    public List<PendingGroupRequest> pendingRequests(GroupId id) {
        synchronized (lock) {
            return tables.groupRequests.values().stream()
                    .filter(row -> row.group.equals(id) && row.isPending())
                    .map(row -> row.request)
                    .toList();
        }
    }

    @Override
    public Set<NodeId> findGateNodes(GroupId id, int component) {
        synchronized (lock) {
            Set<NodeId> nodes = new HashSet<>();
            Set<NodeId> leftOut = new HashSet<>();
            List<RolloutRow> rows = componentRows(Objects.requireNonNull(tables.groups.get(id)));
            for (int i = 0; i < rows.size(); i++) {
                for (NodeUpgrade node : rows.get(i).rollout.nodes().values()) {
                    nodes.add(node.id());
                    if (i <= component && isSkippedOfflineOrByOperator(node)) {
                        leftOut.add(node.id());
                    }
                }
            }
            nodes.removeAll(leftOut);
            return Set.copyOf(nodes);
        }
    }

    private static boolean isSkippedOfflineOrByOperator(NodeUpgrade node) {
        return node.state() instanceof NodeState.Skipped skipped
                && (skipped.reason() == SkipReason.OFFLINE
                        || skipped.reason() == SkipReason.OPERATOR);
    }

    @Override
    public Set<NodeId> findSupersededNodes(GroupId id) {
        synchronized (lock) {
            Set<NodeId> nodes = new HashSet<>();
            Objects.requireNonNull(tables.groups.get(id))
                    .components()
                    .forEach(
                            rollout ->
                                    nodes.addAll(
                                            new InMemorySupersededNodeFinder(tables, rollout)
                                                    .findSupersededNodes()));
            return Set.copyOf(nodes);
        }
    }

    @Override
    public Commit.Outcome commit(GroupCommit commit) {
        synchronized (lock) {
            if (!leads.test(commit.epoch())) {
                return new Commit.Outcome.StaleEpoch();
            }
            try {
                Commit.Outcome outcome =
                        new InMemoryGroupCommitWriter(tables, commit, clock.get()).run();
                if (outcome instanceof Commit.Outcome.Committed) {
                    watchers.forEach(watcher -> watcher.onCommit(commit));
                }
                return outcome;
            } catch (RuntimeException e) {
                watchers.forEach(watcher -> watcher.onRejected(commit, e));
                throw e;
            }
        }
    }
}
