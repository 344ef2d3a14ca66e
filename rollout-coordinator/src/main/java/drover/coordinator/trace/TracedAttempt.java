package drover.coordinator.trace;

import java.time.Instant;
import java.util.List;

/**
 * An attempt of the rollout on a node.
 *
 * @param restoreOf the attempt that it undoes; 0 for an upgrade
 * @param closed whether its agent has said its last word, so that nothing of it changes any more
 * @param actions what the agent did, in order
 */
public record TracedAttempt(
        String node, long attempt, long restoreOf, boolean closed, List<Action> actions) {
    public TracedAttempt {
        actions = List.copyOf(actions);
    }

    /**
     * An action, timed by the node's clock.
     *
     * @param outcome for example {@code done} or {@code failed}
     * @param detail one sentence on a failure; empty otherwise
     */
    public record Action(String name, Instant start, Instant end, String outcome, String detail) {
        String failureDetail() {
            if (!outcome.equals("failed")) {
                return "";
            }
            return detail.isEmpty() ? "The agent gave no details." : detail;
        }
    }
}
