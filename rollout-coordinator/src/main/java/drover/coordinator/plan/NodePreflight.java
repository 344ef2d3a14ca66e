package drover.coordinator.plan;

import drover.model.NodeId;
import java.util.List;

/**
 * What a preflight found on one node.
 *
 * @param problems the actions that would fail, in their order; those not named would be done
 * @param reason why the node was not looked at; empty when it was
 * @param sentence the same for people
 */
public record NodePreflight(
        NodeId node, Result result, List<Problem> problems, String reason, String sentence) {
    public NodePreflight {
        problems = List.copyOf(problems);
    }

    /** What would come of a node. */
    public enum Result {
        /** Every action would be done, as far as that shows without doing it. */
        OK,
        /** Some action would fail. */
        WOULD_FAIL,
        /** Nobody could look. */
        NOT_CHECKED
    }

    /**
     * An action that would fail.
     *
     * @param action its name, such as {@code acquire_artifact}
     * @param reason stable code of the failure that would come
     */
    public record Problem(String action, String reason, String sentence) {}

    /** Its agent looked. */
    static NodePreflight found(NodeId node, List<Problem> problems) {
        return new NodePreflight(
                node, problems.isEmpty() ? Result.OK : Result.WOULD_FAIL, problems, "", "");
    }

    /** Nobody could look. */
    static NodePreflight notChecked(NodeId node, String reason, String sentence) {
        return new NodePreflight(node, Result.NOT_CHECKED, List.of(), reason, sentence);
    }
}
