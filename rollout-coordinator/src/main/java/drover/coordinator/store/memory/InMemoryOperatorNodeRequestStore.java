package drover.coordinator.store.memory;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.memory.InMemoryTables.AttemptRow;
import drover.coordinator.store.memory.InMemoryTables.NodeRequestRow;
import drover.coordinator.store.memory.InMemoryTables.RolloutRow;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.node.PostgresLeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests about nodes in memory, as {@link PostgresLeaderOperatorNodeRequestStore} and {@link
 * PostgresOperatorNodeRequestStore} keep them. Under the lock of the store that it belongs to.
 */
final class InMemoryOperatorNodeRequestStore
        implements LeaderOperatorNodeRequestStore, OperatorNodeRequestStore {
    private static final String LOST = "LOST";

    private final Object lock;
    private final InMemoryTables tables;
    private final LongPredicate leads;
    private final Supplier<Instant> clock;

    /**
     * @param lock the store's
     * @param leads whether an epoch is the latest
     */
    InMemoryOperatorNodeRequestStore(
            Object lock, InMemoryTables tables, LongPredicate leads, Supplier<Instant> clock) {
        this.lock = lock;
        this.tables = tables;
        this.leads = leads;
        this.clock = clock;
    }

    @Override
    public SubmitResult submitRequest(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason) {
        synchronized (lock) {
            Optional<NodeRequestRow> earlier =
                    tables.nodeRequests.values().stream()
                            .filter(
                                    row ->
                                            row.key.equals(key)
                                                    && row.requested.actor().equals(actor))
                            .findFirst();
            if (earlier.isPresent()) {
                NodeRequestRow row = earlier.get();
                boolean same = row.requested.node().equals(node) && row.request == request;
                return same
                        ? new SubmitResult.WrittenNowOrEarlier(row.requested.id())
                        : new SubmitResult.KeyReused();
            }
            UUID id = new UUID(1, tables.nodeRequests.size() + 1L);
            PendingNodeRequest requested =
                    new PendingNodeRequest(id, node, request, actor, reason, clock.get(), 0, null);
            tables.nodeRequests.put(id, new NodeRequestRow(request, key, requested));
            return new SubmitResult.WrittenNowOrEarlier(id);
        }
    }

    @Override
    public SubmitResult recordCompletedRequest(
            NodeId node, OperatorNodeRequest request, String actor, String key, String reason) {
        synchronized (lock) {
            SubmitResult placed = submitRequest(node, request, actor, key, reason);
            if (placed instanceof SubmitResult.WrittenNowOrEarlier(UUID id)) {
                writeDecision(id, "", "", clock.get());
            }
            return placed;
        }
    }

    @Override
    public Optional<RequestStatus> requestStatus(UUID id) {
        synchronized (lock) {
            return Optional.ofNullable(tables.nodeRequests.get(id)).map(row -> row.status);
        }
    }

    @Override
    public List<RequestWithStatus> findByNode(NodeId node, int limit) {
        synchronized (lock) {
            return List.copyOf(tables.nodeRequests.values()).reversed().stream()
                    .filter(row -> row.requested.node().equals(node))
                    .limit(limit)
                    .map(
                            row ->
                                    new RequestWithStatus(
                                            row.decidedAt,
                                            row.request,
                                            row.requested.actor(),
                                            row.requested.reason(),
                                            row.status))
                    .toList();
        }
    }

    @Override
    public List<PendingNodeRequest> findPending() {
        synchronized (lock) {
            return tables.nodeRequests.values().stream()
                    .filter(NodeRequestRow::isPending)
                    .map(this::toPendingRequest)
                    .toList();
        }
    }

    @Override
    public Map<NodeId, Instant> findRetiredSince(Instant since) {
        synchronized (lock) {
            Map<NodeId, Instant> retired = new HashMap<>();
            tables.nodeRequests.values().stream()
                    .filter(row -> row.request == OperatorNodeRequest.RETIRE)
                    .filter(row -> row.status.state().equals("applied"))
                    .filter(row -> !row.decidedAt.isBefore(since))
                    .forEach(
                            row ->
                                    retired.put(
                                            row.requested.node(), row.decidedAt)); // oldest first
            return retired;
        }
    }

    private PendingNodeRequest toPendingRequest(NodeRequestRow row) {
        PendingNodeRequest requested = row.requested;
        AttemptRow attempt = tables.findAttempt(requested.node(), row.attempt);
        return new PendingNodeRequest(
                requested.id(),
                requested.node(),
                requested.kind(),
                requested.actor(),
                requested.reason(),
                requested.createdAt(),
                row.attempt,
                attempt == null ? null : attempt.body);
    }

    @Override
    public WriteResult assignClear(
            long epoch, PendingNodeRequest request, long attempt, byte[] body) {
        synchronized (lock) {
            if (!leads.test(epoch)) {
                return WriteResult.STALE_EPOCH;
            }
            NodeRequestRow row = tables.nodeRequests.get(request.id());
            NodeId node = request.node();
            boolean free =
                    row != null
                            && row.isPending()
                            && row.attempt == 0
                            && tables.findOpenAttempt(node) == null
                            && tables.lastAttempts.getOrDefault(node, 0L) < attempt;
            if (row == null || !free) {
                return WriteResult.CONFLICT;
            }
            row.attempt = attempt;
            tables.lastAttempts.put(node, attempt);
            tables.attempts
                    .computeIfAbsent(node, _ -> new TreeMap<>())
                    .put(attempt, new AttemptRow(null, 0, body));
            return WriteResult.DONE;
        }
    }

    @Override
    public RetireResult retireNode(long epoch, PendingNodeRequest request, Instant at) {
        synchronized (lock) {
            if (!leads.test(epoch)) {
                return new RetireResult.StaleEpoch();
            }
            Map.Entry<Long, AttemptRow> open = findOpenAttempt(request.node());
            if (open != null && !tryCloseAttemptInRollout(request, open, epoch, at)) {
                return new RetireResult.InFlight();
            }
            if (open != null) {
                open.getValue().open = false;
                open.getValue().outcome = LOST;
            }
            refuseClears(request.node(), at);
            retireMachine(request.node());
            tables.incidents.closeAllOfNode(request.node(), "The node is retired.", at);
            writeDecision(request.id(), "", "", at);
            return new RetireResult.Done(open == null ? 0 : open.getKey());
        }
    }

    private void retireMachine(NodeId node) {
        tables.failedRollbacks.remove(node);
        Long last = tables.lastAttempts.get(node);
        if (last != null) {
            tables.retiredAttempts.put(node, last);
        }
    }

    private Map.@Nullable Entry<Long, AttemptRow> findOpenAttempt(NodeId node) {
        return tables.attempts.getOrDefault(node, new TreeMap<>()).entrySet().stream()
                .filter(entry -> entry.getValue().open)
                .findFirst()
                .orElse(null);
    }

    /** False while the rollout's own loop counts on the attempt (rule R4). */
    private boolean tryCloseAttemptInRollout(
            PendingNodeRequest request, Map.Entry<Long, AttemptRow> open, long epoch, Instant at) {
        RolloutId id = open.getValue().rollout;
        RolloutRow row = id == null ? null : tables.rollouts.get(id);
        if (row == null) {
            return true;
        }
        NodeUpgrade node = row.rollout.nodes().get(request.node());
        boolean counted =
                node != null
                        && node.attempt() == open.getKey()
                        && !row.rollout.state().isFinal()
                        && node.state().isInFlight();
        if (counted || node == null) {
            return false;
        }
        boolean unproven =
                node.installedBy() == 0
                        && open.getValue().restoreOf == 0
                        && !(node.state() instanceof NodeState.Skipped);
        row.rollout =
                withAttemptClosed(
                        row.rollout, node, unproven ? node.attempt() : node.installedBy());
        row.epoch = epoch;
        row.append(lostAttemptEntry(request, epoch, at));
        return true;
    }

    private static HistoryEntry lostAttemptEntry(
            PendingNodeRequest request, long epoch, Instant at) {
        Cause because =
                new Cause(
                        "RETIRED",
                        "An operator retired the node; its attempt is closed as lost. Reason: "
                                + request.reason());
        String node = request.node().value();
        return new HistoryEntry(at, epoch, request.actor(), "node", node, "open", LOST, because);
    }

    private static Rollout withAttemptClosed(Rollout was, NodeUpgrade node, long installedBy) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(was.nodes());
        nodes.put(
                node.id(),
                new NodeUpgrade(
                        node.target(),
                        node.batch(),
                        node.state(),
                        node.attempts(),
                        node.attempt(),
                        false,
                        node.sequence(),
                        installedBy,
                        node.progress(),
                        node.running()));
        return new Rollout(
                was.id(),
                was.revision() + 1,
                was.spec(),
                was.state(),
                was.acknowledgedFailures(),
                was.acceptedOffline(),
                was.forced(),
                was.batches(),
                nodes);
    }

    /** Nobody is there any more who could answer them. */
    private void refuseClears(NodeId node, Instant at) {
        tables.nodeRequests.values().stream()
                .filter(
                        row ->
                                row.requested.node().equals(node)
                                        && row.request == OperatorNodeRequest.CLEAR)
                .forEach(
                        row ->
                                row.setDecision(
                                        RefusalCode.NODE_OFFLINE.name(),
                                        "The node was retired meanwhile.",
                                        at));
    }

    @Override
    public WriteResult refuse(long epoch, UUID request, RefusalCode code, String sentence) {
        synchronized (lock) {
            if (!leads.test(epoch)) {
                return WriteResult.STALE_EPOCH;
            }
            writeDecision(request, code.name(), sentence, clock.get());
            return WriteResult.DONE;
        }
    }

    private void writeDecision(UUID id, String code, String sentence, Instant at) {
        NodeRequestRow row = tables.nodeRequests.get(id);
        if (row != null) {
            row.setDecision(code, sentence, at);
        }
    }
}
