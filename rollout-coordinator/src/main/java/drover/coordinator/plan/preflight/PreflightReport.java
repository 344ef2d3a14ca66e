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
public record PreflightReport(
        String preflightId, List<NodePreflight.Problem> problems, String reason, String sentence) {
    public PreflightReport {
        problems = List.copyOf(problems);
    }

    /** What it says of the node. */
    public NodePreflight toNodePreflight(NodeId node) {
        return reason.isEmpty()
                ? NodePreflight.fromProblems(node, problems)
                : NodePreflight.createNotChecked(node, reason, sentence);
    }
}
