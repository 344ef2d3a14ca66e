package drover.coordinator.plan.preflight;

import drover.model.NodeId;
import java.util.List;

/**
 * What a preflight found on one node.
 *
 * @param problems the actions that would fail, in their order; those not named would be done
 * @param reason why the node was not checked, or {@link #UNHEALTHY}; else empty
 * @param sentence the same for people
 */
public record NodePreflightResult(
        NodeId node, Outcome result, List<Problem> problems, String reason, String sentence) {
    public NodePreflightResult {
        problems = List.copyOf(problems);
    }

    /**
     * The node's program is unhealthy already: every action can be done, and the start may not be.
     */
    public static final String UNHEALTHY = "UNHEALTHY";

    /** What would come of a node. */
    public enum Outcome {
        /** Every action would be done, as far as that shows without doing it. */
        OK,
        /** Some action would fail, or the node is unhealthy. */
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
    static NodePreflightResult fromProblems(NodeId node, List<Problem> problems) {
        return new NodePreflightResult(
                node, problems.isEmpty() ? Outcome.OK : Outcome.WOULD_FAIL, problems, "", "");
    }

    /** The same node, whose program is unhealthy. */
    NodePreflightResult withUnhealthy(String why) {
        return new NodePreflightResult(
                node,
                Outcome.WOULD_FAIL,
                problems,
                UNHEALTHY,
                why
                        + " The rollout does not start while more targets than its unhealthy budget"
                        + " are unhealthy."
                        + (sentence.isEmpty() ? "" : " " + sentence));
    }

    /** Nobody could look. */
    static NodePreflightResult createNotChecked(NodeId node, String reason, String sentence) {
        return new NodePreflightResult(node, Outcome.NOT_CHECKED, List.of(), reason, sentence);
    }
}
