package drover.evaluator.assess;

import drover.model.Digest;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.Optional;

/**
 * A node's program that shall be judged.
 *
 * @param attempt that heartbeats must carry to count (invariant F1)
 * @param runId run that start_node recorded
 * @param digest that must run (invariant F2)
 * @param configDigest that must be there; empty when it does not matter
 * @param hold how long it must have been up and well without a break
 */
public record ProgramWatchSpec(
        NodeId node,
        long attempt,
        BinaryName program,
        String runId,
        Digest digest,
        Optional<Digest> configDigest,
        Duration hold,
        HealthThresholds policy)
        implements HealthWatchSpec {
    @Override
    public boolean sharesHistoryWith(HealthWatchSpec other) {
        return other instanceof ProgramWatchSpec later
                && node.equals(later.node)
                && attempt == later.attempt
                && program.equals(later.program);
    }
}
