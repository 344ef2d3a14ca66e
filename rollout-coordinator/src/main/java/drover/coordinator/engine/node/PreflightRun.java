package drover.coordinator.engine.node;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.plan.preflight.PreflightRules;
import drover.coordinator.plan.preflight.PreflightRules.NextAction;
import drover.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * One preflight under way, in memory alone: a new leader begins it anew, which costs its agents one
 * more look. Never more agents look at once than the rollout may have at work.
 */
final class PreflightRun {
    private final UUID id;
    private final Rollout rollout;
    private final Instant startedAt;
    private final Map<NodeId, NodeUpgrade> waiting = new TreeMap<>();
    private final Map<NodeId, Instant> requested = new HashMap<>();
    private final Map<NodeId, NodePreflightResult> results = new TreeMap<>();

    PreflightRun(UUID id, Rollout rollout, Instant now) {
        this.id = id;
        this.rollout = rollout;
        this.startedAt = now;
        waiting.putAll(rollout.nodes());
    }

    /** An agent has answered; what answers an earlier asking, or comes twice, is not heard. */
    void applyReport(NodeId node, AgentPreflightReport report) {
        if (report.preflightId().equals(id.toString()) && requested.remove(node) != null) {
            results.put(node, report.toNodePreflight(node));
        }
    }

    /** Whom to ask now, with their sessions; the caller asks all of them. */
    Map<NodeId, String> takeNextRequests(Function<NodeId, NodeView> lookup, Instant now) {
        expire(now);
        Map<NodeId, String> requests = new TreeMap<>();
        for (NodeUpgrade node : List.copyOf(waiting.values())) {
            if (requested.size() >= rollout.spec().maxInFlight()) {
                break;
            }
            switch (PreflightRules.decideNextAction(
                    rollout.spec(), node, lookup.apply(node.id()))) {
                case NextAction.SendRequest(String session) -> {
                    requests.put(node.id(), session);
                    requested.put(node.id(), now);
                    waiting.remove(node.id());
                }
                case NextAction.KnownResult(NodePreflightResult result) -> addResult(result);
                case NextAction.AwaitConnectionReport() -> {
                    if (hasTimedOut(startedAt, now)) {
                        addResult(PreflightRules.noResponseResult(node.id()));
                    }
                }
            }
        }
        return requests;
    }

    private void expire(Instant now) {
        boolean over = now.isAfter(startedAt.plus(PreflightRules.MAX_DURATION));
        List<NodeId> unresponsive = new ArrayList<>();
        requested.forEach(
                (node, since) -> {
                    if (over || hasTimedOut(since, now)) {
                        unresponsive.add(node);
                    }
                });
        if (over) {
            unresponsive.addAll(waiting.keySet());
        }
        unresponsive.forEach(node -> addResult(PreflightRules.noResponseResult(node)));
    }

    private static boolean hasTimedOut(Instant since, Instant now) {
        return now.isAfter(since.plus(PreflightRules.RESPONSE_TIMEOUT));
    }

    private void addResult(NodePreflightResult result) {
        requested.remove(result.node());
        waiting.remove(result.node());
        results.put(result.node(), result);
    }

    /** Whether every node has its result. */
    boolean hasEnded() {
        return requested.isEmpty() && waiting.isEmpty();
    }

    /** What was found, ordered by node, with the health of the targets now. */
    List<NodePreflightResult> results(FleetView fleet) {
        return PreflightRules.markUnhealthyTargets(results.values(), rollout, fleet);
    }
}
