package drover.opsagent.admission;

import drover.opsagent.journal.Journal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the agent knows of itself when a command comes.
 *
 * @param nodeId node of the credential; empty before the first welcome
 * @param executor whether it holds the executor lock
 * @param highestAttempt highest attempt ever accepted or withdrawn
 * @param highestEpoch highest epoch ever seen
 * @param latest journal of the highest attempt; absent when the node never had one
 * @param needsClear whether a failure that could not be undone waits to be cleared (D14)
 */
public record AgentStateAtAdmission(
        String nodeId,
        boolean executor,
        long highestAttempt,
        long highestEpoch,
        @Nullable Journal latest,
        boolean needsClear,
        Set<String> features) {
    public AgentStateAtAdmission {
        features = Set.copyOf(features);
    }
}
