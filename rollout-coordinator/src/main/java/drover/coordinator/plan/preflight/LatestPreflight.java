package drover.coordinator.plan.preflight;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The latest preflight of a rollout. It tells of its moment: nothing is decided by it.
 *
 * @param finishedAt when the last node was looked at; null while it goes on
 * @param nodes what was found, ordered by node; empty while it goes on
 */
public record LatestPreflight(
        UUID id,
        String requestedBy,
        Instant requestedAt,
        @Nullable Instant finishedAt,
        List<NodePreflightResult> nodes) {
    public LatestPreflight {
        nodes = List.copyOf(nodes);
    }

    /** How many nodes have this result. */
    public int count(NodePreflightResult.Outcome result) {
        return (int) nodes.stream().filter(node -> node.result() == result).count();
    }
}
