package drover.coordinator.api.node;

import com.google.protobuf.util.Timestamps;
import drover.coordinator.api.TimestampParser;
import drover.coordinator.api.rollout.RolloutProtos;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.UnresolvedAndDegradingCounts;
import drover.coordinator.store.query.PreviewInputViews;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.NodeHistory;
import drover.coordinator.store.rollout.RolloutViews;
import drover.coordinator.store.rollout.RolloutViews.DesiredAgents;
import drover.coordinator.store.rollout.RolloutViews.NumberedHistoryEntry;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetDesiredResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeAttempt;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequest;
import drover.rollout.v1.Reason;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Says why a node is as it is, or was: its rollouts, marks, health, attempts and requests. */
public final class NodeQueries {
    private static final int REASONS = 50;

    /** Where a later version wrote it, as for all that people are shown of one. */
    private static final String UNKNOWN = "unknown";

    private static final Comparator<NodeReason> NEWEST_FIRST =
            Comparator.comparing(NodeReason::getAt, Timestamps.comparator()).reversed();

    private final RolloutViews views;
    private final PreviewInputViews facts;
    private final Supplier<FleetView> fleet;
    private final Supplier<Instant> clock;
    private final OperatorNodeRequestSubmitter nodeRequests;
    private final IncidentViews incidents;

    /**
     * @param fleet the fleet as this replica sees it, which is not at all unless it leads
     * @param clock the database's
     * @param nodeRequests where what was asked of a node itself is read
     */
    public NodeQueries(
            RolloutViews views,
            PreviewInputViews facts,
            Supplier<FleetView> fleet,
            Supplier<Instant> clock,
            OperatorNodeRequestSubmitter nodeRequests,
            IncidentViews incidents) {
        this.nodeRequests = nodeRequests;
        this.incidents = incidents;
        this.views = views;
        this.facts = facts;
        this.fleet = fleet;
        this.clock = clock;
    }

    public ExplainNodeResponse explain(Node node, ExplainNodeRequest request) {
        Instant now = clock.get();
        boolean past = request.hasAsOf();
        Instant at = past ? TimestampParser.parseAsOf(request.getAsOf(), now) : now;
        NodeHistory record = views.nodeHistory(node.getId(), at, REASONS);
        ExplainNodeResponse.Builder response = ExplainNodeResponse.newBuilder().setNode(node);
        if (past) {
            record.lastMoves().forEach(entry -> response.addCurrent(transitionReason(entry)));
        } else {
            addCurrentReasons(node, record, response);
        }
        response.addAllReasons(collectReasonsUntil(new NodeId(node.getId()), record, at));
        record.attempts().forEach(attempt -> response.addAttempts(toAttempt(attempt)));
        record.requests().forEach(requested -> response.addRequests(toRequest(requested)));
        return response.build();
    }

    /** What moved it and what was asked of the node itself, newest first. */
    private List<NodeReason> collectReasonsUntil(NodeId node, NodeHistory record, Instant at) {
        return Stream.concat(
                        record.history().stream().map(NodeQueries::historyReason),
                        nodeRequests.outcomes(node, REASONS).stream()
                                .filter(outcome -> !outcome.at().isAfter(at))
                                .map(NodeProtos::toReason))
                .sorted(NEWEST_FIRST)
                .limit(REASONS)
                .toList();
    }

    private void addCurrentReasons(
            Node node, NodeHistory record, ExplainNodeResponse.Builder response) {
        NodeId id = new NodeId(node.getId());
        response.addCurrent(
                newReason(
                                node.getOnline()
                                        ? new Cause("ONLINE", "Its agent is connected.")
                                        : new Cause("OFFLINE", "Its agent is not connected."),
                                "")
                        .setAt(node.getLastSeenAt()));
        blockCause(node).ifPresent(cause -> response.addCurrent(newReason(cause, "")));
        NodeAttemptsAndReservation guard =
                facts.findReservations(List.of(id))
                        .getOrDefault(id, NodeAttemptsAndReservation.FRESH);
        if (guard.failedRollback()) {
            response.addCurrent(
                    newReason(
                            new Cause(
                                    "FAILED_ROLLBACK",
                                    "An earlier upgrade could not be undone; look at the node and clear it. Nothing is sent to it until then."),
                            ""));
        }
        if (guard.openFor() != null) {
            response.addCurrent(
                    newReason(
                            new Cause(
                                    "ATTEMPT_OPEN",
                                    "Its agent has not said how attempt "
                                            + guard.lastAttempt()
                                            + " ended."),
                            guard.openFor().value()));
        }
        fleet.get().verdict(id).ifPresent(verdict -> response.addCurrent(verdictReason(verdict)));
        findUnresolvedIncidents(id)
                .forEach(incident -> response.addCurrent(incidentReason(incident)));
        record.places().forEach(place -> response.addCurrent(rolloutReason(id, place)));
    }

    /** Why nobody may speak for it; the gateways know before an incident is opened. */
    private static Optional<Cause> blockCause(Node node) {
        return switch (node.getBlockReason()) {
            case BLOCK_REASON_REVOKED ->
                    Optional.of(
                            new Cause(
                                    "REVOKED",
                                    "It was revoked: nobody may speak for it. To have it back, enroll"
                                            + " its machine anew: "
                                            + joinTokenCommand(node)));
            case BLOCK_REASON_CLONED ->
                    Optional.of(
                            new Cause(
                                    "LOCKED",
                                    "It is locked: its identity was in use at two places. Find the"
                                            + " copy and stop it, then enroll the right machine anew:"
                                            + " "
                                            + joinTokenCommand(node)));
            case BLOCK_REASON_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
        };
    }

    private static String joinTokenCommand(Node node) {
        return "drover token create --chain %s --type %s --node %s"
                .formatted(node.getChainProfileId(), node.getNodeType(), node.getId());
    }

    private List<Incident> findUnresolvedIncidents(NodeId node) {
        return incidents
                .list(new IncidentViews.Query(null, null, node.value(), null, null, REASONS))
                .stream()
                .filter(incident -> incident.state() != IncidentViews.State.RESOLVED)
                .toList();
    }

    private static NodeReason.Builder incidentReason(Incident incident) {
        RolloutId rollout = incident.rollout();
        String plan = incident.recoveryPlan();
        return newReason(
                        new Cause(
                                "INCIDENT_" + incident.category().name(),
                                incident.because().sentence()
                                        + (plan.isEmpty() ? "" : " Recovery plan: " + plan)),
                        rollout == null ? "" : rollout.value())
                .setAt(RolloutProtos.toTimestamp(incident.openedAt()));
    }

    /** What it shall run; a program that no rollout touched shall stay as it is. */
    GetDesiredResponse readDesired(Node node) {
        return NodeProtos.toDesired(node, views.findDesiredPrograms(new NodeId(node.getId())));
    }

    /** Nodes with what nobody has resolved of them. */
    List<Node> withIncidentCounts(List<Node> nodes) {
        Map<NodeId, UnresolvedAndDegradingCounts> found =
                incidents.countUnresolvedByNode(
                        nodes.stream().map(node -> new NodeId(node.getId())).toList());
        return nodes.stream().map(node -> with(node, found.get(new NodeId(node.getId())))).toList();
    }

    /** Nodes with the agent that they shall have. */
    List<Node> withDesiredAgents(List<Node> nodes) {
        DesiredAgents wanted =
                views.findDesiredAgents(
                        nodes.stream().map(node -> new NodeId(node.getId())).toList());
        return nodes.stream().map(node -> with(node, wanted)).toList();
    }

    private static Node with(Node node, DesiredAgents wanted) {
        NodeId id = new NodeId(node.getId());
        if (wanted.unread().contains(id)) {
            return node.toBuilder().setDesiredAgentVersion(UNKNOWN).build();
        }
        Version agent = wanted.versions().get(id);
        return agent == null
                ? node
                : node.toBuilder().setDesiredAgentVersion(agent.value()).build();
    }

    private static Node with(Node node, @Nullable UnresolvedAndDegradingCounts unresolved) {
        return unresolved == null
                ? node
                : node.toBuilder()
                        .setOpenIncidents(unresolved.all())
                        .setDegraded(unresolved.degrading() > 0)
                        .build();
    }

    private static NodeReason.Builder verdictReason(HealthVerdict verdict) {
        return newReason(
                switch (verdict) {
                    case HealthVerdict.Healthy h ->
                            new Cause("HEALTHY", "It is well, and has been for the whole wait.");
                    case HealthVerdict.Settling(long attempt, String waitingOn) ->
                            new Cause("SETTLING", waitingOn);
                    case HealthVerdict.NoData(long attempt, String why) ->
                            new Cause("NO_DATA", why);
                    case HealthVerdict.Unhealthy unhealthy ->
                            unhealthy.findings().isEmpty()
                                    ? new Cause("UNHEALTHY", "It is unwell.")
                                    : unhealthy.findings().getFirst();
                },
                "");
    }

    private NodeReason.Builder rolloutReason(NodeId id, NodeHistory.NodeInRollout place) {
        Rollout rollout = place.rollout();
        NodeUpgrade own = rollout.nodes().get(id);
        if (own == null) {
            throw new IllegalStateException("Node " + id + " is no target of " + rollout.id());
        }
        return newReason(
                        RolloutExplainer.nodeReason(rollout, own, fleet.get()),
                        rollout.id().value())
                .setAt(RolloutProtos.toTimestamp(own.state().since()));
    }

    private static NodeReason.Builder transitionReason(NumberedHistoryEntry entry) {
        HistoryEntry row = entry.entry();
        return newReason(row.because(), entry.rollout().value())
                .setAt(RolloutProtos.toTimestamp(row.at()));
    }

    private static NodeReason historyReason(NumberedHistoryEntry entry) {
        Reason because = RolloutProtos.toReason(entry);
        return newReason(
                        new Cause(because.getCode(), because.getSentence()),
                        entry.rollout().value())
                .setAt(because.getAt())
                .build();
    }

    private static NodeReason.Builder newReason(Cause cause, String rollout) {
        return NodeReason.newBuilder()
                .setCode(cause.code())
                .setSentence(cause.sentence())
                .setRolloutId(rollout);
    }

    private static NodeAttempt toAttempt(NodeHistory.Attempt attempt) {
        RolloutId rollout = attempt.rollout();
        NodeAttempt.Builder proto =
                NodeAttempt.newBuilder()
                        .setAttempt(attempt.attempt())
                        .setRolloutId(rollout == null ? "" : rollout.value())
                        .setRestoreOf(attempt.restoreOf())
                        .setOutcome(attempt.outcome())
                        .setAssignedAt(RolloutProtos.toTimestamp(attempt.assignedAt()));
        Instant closed = attempt.closedAt();
        return closed == null
                ? proto.build()
                : proto.setClosedAt(RolloutProtos.toTimestamp(closed)).build();
    }

    private static NodeRequest toRequest(NodeHistory.SubmittedRequest requested) {
        return NodeRequest.newBuilder()
                .setAt(RolloutProtos.toTimestamp(requested.at()))
                .setActor(requested.actor())
                .setKind(requested.kind())
                .setReason(requested.reason())
                .setState(requested.state())
                .setRefusal(requested.refusal())
                .setRolloutId(requested.rollout().value())
                .build();
    }
}
