package drover.coordinator.store.memory;

import drover.coordinator.plan.group.GroupComponent;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.group.LeaderGroupStore.PendingGroupRequest;
import drover.coordinator.store.leader.LeaderStore.PendingRequest;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore.PendingNodeRequest;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.ChainProfileId;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of {@link InMemoryCoordinatorStore}, under its lock. */
final class InMemoryTables {
    final Map<RolloutId, RolloutRow> rollouts = new LinkedHashMap<>();
    final Map<ChainProfileId, RolloutId> chains = new LinkedHashMap<>();
    final Map<NodeId, TreeMap<Long, AttemptRow>> attempts = new TreeMap<>();
    final Map<NodeId, Long> lastAttempts = new HashMap<>();
    final Set<NodeId> failedRollbacks = new LinkedHashSet<>();
    final Map<NodeId, Long> retiredAttempts = new HashMap<>();
    final Map<UUID, RequestRow> requests = new LinkedHashMap<>();
    final Map<UUID, NodeRequestRow> nodeRequests = new LinkedHashMap<>();
    final Map<GroupId, GroupRow> groups = new LinkedHashMap<>();
    final Map<UUID, GroupRequestRow> groupRequests = new LinkedHashMap<>();
    final InMemoryIncidentRows incidents = new InMemoryIncidentRows(this::isOfProgram);

    private boolean isOfProgram(@Nullable RolloutId rollout, BinaryName program) {
        RolloutRow row = rollout == null ? null : rollouts.get(rollout);
        return row != null && row.rollout.spec().binary().equals(program);
    }

    /** A rollout with its batches, nodes and history. */
    static final class RolloutRow {
        Rollout rollout;
        final String traceId;
        final String createdBy;
        final Map<NodeId, byte[]> payloads;
        final List<HistoryEntry> history = new ArrayList<>();
        long epoch;
        boolean started;
        private String head = HistoryEntry.GENESIS;

        RolloutRow(NewRollout created) {
            this.rollout = created.rollout();
            this.traceId = created.traceId();
            this.createdBy = created.actor();
            this.payloads = Map.copyOf(created.payloads());
            created.history()
                    .forEach(
                            transition ->
                                    append(
                                            HistoryEntry.of(
                                                    transition,
                                                    rollout.state().since(),
                                                    0,
                                                    created.actor())));
        }

        void append(HistoryEntry row) {
            history.add(row);
            head = row.hashAfter(head);
        }

        String head() {
            return head;
        }
    }

    /** A group with its history. */
    static final class GroupRow {
        RolloutGroup group;
        final List<HistoryEntry> history = new ArrayList<>();
        long epoch;
        private String head = HistoryEntry.GENESIS;

        GroupRow(RolloutGroup group) {
            this.group = group;
        }

        void append(HistoryEntry row) {
            history.add(row);
            head = row.hashAfter(head);
        }

        String head() {
            return head;
        }

        /** The rollouts of its components, in their order. */
        List<RolloutId> components() {
            return group.spec().components().stream().map(GroupComponent::rollout).toList();
        }
    }

    /** What an operator asks of a group. */
    static final class GroupRequestRow {
        final GroupId group;
        final String key;
        final PendingGroupRequest request;
        RequestStatus status = new RequestStatus("pending", "", "");

        GroupRequestRow(GroupId group, String key, PendingGroupRequest requested) {
            this.group = group;
            this.key = key;
            this.request = requested;
        }

        boolean isPending() {
            return status.state().equals("pending");
        }
    }

    /** An attempt with the last status taken in. */
    static final class AttemptRow {
        final @Nullable RolloutId rollout; // null for a clear
        final long restoreOf;
        final byte[] body;
        boolean open = true;
        long sequence;
        String outcome = "";
        @Nullable Instant lastEndedAt;

        AttemptRow(@Nullable RolloutId rollout, long restoreOf, byte[] body) {
            this.rollout = rollout;
            this.restoreOf = restoreOf;
            this.body = body;
        }
    }

    /** An operator's request. */
    static final class RequestRow {
        final RolloutId rollout;
        final String key;
        final PendingRequest request;
        String state = "pending";
        String refusalCode = "";
        String refusalSentence = "";

        RequestRow(RolloutId rollout, String key, PendingRequest requested) {
            this.rollout = rollout;
            this.key = key;
            this.request = requested;
        }
    }

    /** What an operator asks of a node. */
    static final class NodeRequestRow {
        final OperatorNodeRequest request;
        final String key;
        final PendingNodeRequest requested;
        long attempt;
        RequestStatus status = new RequestStatus("pending", "", "");
        Instant decidedAt;

        NodeRequestRow(OperatorNodeRequest request, String key, PendingNodeRequest requested) {
            this.request = request;
            this.key = key;
            this.requested = requested;
            this.decidedAt = requested.createdAt();
        }

        boolean isPending() {
            return status.state().equals("pending");
        }

        /** An empty code applies it. What is decided stays so. */
        void setDecision(String code, String sentence, Instant at) {
            if (isPending()) {
                status = new RequestStatus(code.isEmpty() ? "applied" : "refused", code, sentence);
                decidedAt = at;
            }
        }
    }

    List<RolloutId> findActiveOrRequested() {
        Set<RolloutId> active = new LinkedHashSet<>();
        for (RolloutId owner : chains.values()) {
            GroupRow group = groups.get(new GroupId(owner.value()));
            if (group == null) {
                active.add(owner);
            } else {
                group.components().stream().filter(id -> !hasEnded(id)).forEach(active::add);
            }
        }
        requests.values().stream()
                .filter(row -> row.state.equals("pending"))
                .forEach(row -> active.add(row.rollout));
        return List.copyOf(active);
    }

    @Nullable AttemptRow findAttempt(NodeId node, long attempt) {
        TreeMap<Long, AttemptRow> rows = attempts.get(node);
        return rows == null ? null : rows.get(attempt);
    }

    /** The open attempt of a node, of which there is at most one (A4). */
    @Nullable AttemptRow findOpenAttempt(NodeId node) {
        TreeMap<Long, AttemptRow> rows = attempts.get(node);
        if (rows == null) {
            return null;
        }
        return rows.values().stream().filter(row -> row.open).findFirst().orElse(null);
    }

    Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes) {
        Map<NodeId, NodeAttemptsAndReservation> guards = new HashMap<>();
        for (NodeId node : nodes) {
            Long last = lastAttempts.get(node);
            if (last != null) {
                AttemptRow open = findOpenAttempt(node);
                guards.put(
                        node,
                        new NodeAttemptsAndReservation(
                                last,
                                open == null ? null : attemptOwner(open),
                                failedRollbacks.contains(node),
                                rolloutInFlight(node),
                                retiredAttempts.getOrDefault(node, 0L)));
            }
        }
        return guards;
    }

    private @Nullable RolloutId rolloutInFlight(NodeId node) {
        return rollouts.values().stream()
                .map(row -> row.rollout)
                .filter(rollout -> !rollout.state().isFinal())
                .filter(
                        rollout ->
                                rollout.nodes().containsKey(node)
                                        && rollout.nodes().get(node).state().isInFlight())
                .map(Rollout::id)
                .findFirst()
                .orElse(null);
    }

    private static RolloutId attemptOwner(AttemptRow open) {
        return open.rollout == null ? NodeAttemptsAndReservation.CLEARING : open.rollout;
    }

    /** The program that a rollout installs. */
    BinaryName programOf(RolloutId id) {
        return Objects.requireNonNull(rollouts.get(id), "no such rollout").rollout.spec().binary();
    }

    boolean hasEnded(@Nullable RolloutId id) {
        RolloutRow row = id == null ? null : rollouts.get(id);
        return row != null && row.rollout.state().isFinal();
    }

    /** Writes a request to a rollout down. */
    PendingRequest insertRequest(
            RolloutId id,
            String key,
            String actor,
            String reason,
            OperatorRequest request,
            Instant at) {
        UUID requestId = new UUID(0, requests.size() + 1L);
        PendingRequest requested = new PendingRequest(requestId, actor, reason, request, at);
        requests.put(requestId, new RequestRow(id, key, requested));
        return requested;
    }

    @Nullable RequestRow findRequest(String actor, String key) {
        return requests.values().stream()
                .filter(row -> row.key.equals(key) && row.request.actor().equals(actor))
                .findFirst()
                .orElse(null);
    }

    /** An older status never replaces a later one, and a closed attempt stays closed (C9). */
    void applyStatus(Commit.ReportedAttemptStatus report, Instant at) {
        AttemptRow row = findAttempt(report.node(), report.attempt());
        if (report.failedRollback()) {
            failedRollbacks.add(report.node());
        }
        if (row != null && row.sequence < report.sequence()) {
            row.sequence = report.sequence();
            row.outcome = report.outcome();
            row.open = row.open && !report.terminal();
            row.lastEndedAt = report.terminal() ? at : row.lastEndedAt;
        }
    }
}
