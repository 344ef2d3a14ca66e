package drover.opsagent.script;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the agent knows of itself when a command comes.
 *
 * @param nodeId node of the credential; empty before the first welcome
 * @param executor whether it holds the executor lock
 * @param floor highest attempt ever accepted or withdrawn
 * @param epoch highest epoch ever seen
 * @param latest journal of the highest attempt; absent when the node never had one
 * @param stuck whether a failure that could not be undone waits to be cleared (D14)
 */
public record Standing(
        String nodeId,
        boolean executor,
        long floor,
        long epoch,
        @Nullable Journal latest,
        boolean stuck,
        Set<String> features) {
    public Standing {
        features = Set.copyOf(features);
    }
}
