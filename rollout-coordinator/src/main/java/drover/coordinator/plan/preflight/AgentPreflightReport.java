package drover.coordinator.plan.preflight;

import drover.model.NodeId;
import java.util.List;

/**
 * What an agent answers to a preflight.
 *
 * @param preflightId the asking that it answers
 * @param problems the actions that would fail
 * @param reason why it looked at nothing; empty when it looked
 * @param sentence the same for people
 */
public record AgentPreflightReport(
        String preflightId,
        List<NodePreflightResult.Problem> problems,
        String reason,
        String sentence) {
    public AgentPreflightReport {
        problems = List.copyOf(problems);
    }

    /** What it says of the node. */
    public NodePreflightResult toNodePreflight(NodeId node) {
        return reason.isEmpty()
                ? NodePreflightResult.fromProblems(node, problems)
                : NodePreflightResult.createNotChecked(node, reason, sentence);
    }
}
