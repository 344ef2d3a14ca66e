package drover.coordinator.plan.preflight;

import drover.coordinator.plan.batch.UnhealthyBudget;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.TargetHealthConcerns.Concern;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Decides whether a node's agent is asked to look, or what is known without it. Pure. */
public final class PreflightRules {
    /** What an agent says that knows preflights. */
    public static final String FEATURE = "preflight/1";

    /** For the looks of one node: its agent takes 20 s at the most. */
    public static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

    /** For a whole preflight: 10,000 nodes, 100 at a time, take about half of it. */
    public static final Duration MAX_DURATION = Duration.ofMinutes(10);

    private PreflightRules() {}

    /** What is done about a node now. */
    public sealed interface NextAction {
        /** Its agent is asked over this session. */
        record SendRequest(String session) implements NextAction {}

        /** No gateway has said yet whether it has the node. */
        record AwaitConnectionReport() implements NextAction {}

        /** Nobody has to look. */
        record KnownResult(NodePreflightResult result) implements NextAction {}
    }

    /** Decides about one node that was not asked yet. */
    public static NextAction decideNextAction(RolloutSpec spec, NodeUpgrade node, NodeView view) {
        NodeId id = node.id();
        if (!(node.state() instanceof NodeState.Pending)
                && !(node.state() instanceof NodeState.Held)) {
            return knownResult(id, "SKIPPED", "The rollout leaves it alone: nothing to look at.");
        }
        if (node.target().artifact(spec).isEmpty()) {
            return knownResult(
                    id,
                    "UNSUPPORTED",
                    "There is no artifact for its platform "
                            + node.target().platform()
                            + ": the rollout will leave it alone.");
        }
        if (!spec.programKind().supportsPreflight()) {
            return knownResult(
                    id,
                    "TESTS_ITSELF",
                    "An agent's new version tests itself on the node before anything is changed:"
                            + " nothing to look at beforehand.");
        }
        return switch (view) {
            case NodeView.Unknown() -> new NextAction.AwaitConnectionReport();
            case NodeView.Absent _ ->
                    knownResult(id, "OFFLINE", "Its agent is not connected: ask again when it is.");
            case NodeView.Present present ->
                    present.features().contains(FEATURE)
                            ? new NextAction.SendRequest(present.session())
                            : knownResult(
                                    id,
                                    "AGENT_TOO_OLD",
                                    "Its agent knows no preflight: upgrade the agent.");
        };
    }

    /**
     * Results together with the targets that are unhealthy already, whether or not their agents
     * responded: the targets that count when the rollout is started.
     */
    public static List<NodePreflightResult> markUnhealthyTargets(
            Collection<NodePreflightResult> results, Rollout rollout, FleetView fleet) {
        Map<NodeId, String> unhealthy =
                UnhealthyBudget.findUnhealthyUnmodified(rollout, fleet).stream()
                        .collect(Collectors.toMap(concern -> concern.node().id(), Concern::why));
        return results.stream()
                .map(
                        result ->
                                Optional.ofNullable(unhealthy.get(result.node()))
                                        .map(result::withUnhealthy)
                                        .orElse(result))
                .toList();
    }

    /** What is said of a node whose agent did not answer, or that no gateway told of. */
    public static NodePreflightResult noResponseResult(NodeId node) {
        return NodePreflightResult.createNotChecked(
                node,
                "NO_ANSWER",
                "Nothing was heard of it in "
                        + RESPONSE_TIMEOUT.toSeconds()
                        + " s: look at its agent's log, then ask again.");
    }

    private static NextAction knownResult(NodeId node, String reason, String sentence) {
        return new NextAction.KnownResult(
                NodePreflightResult.createNotChecked(node, reason, sentence));
    }
}
