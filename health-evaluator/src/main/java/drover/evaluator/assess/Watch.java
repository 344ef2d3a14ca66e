package drover.evaluator.assess;

import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.NodeId;
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
public record Watch(
        NodeId node,
        long attempt,
        BinaryName program,
        String runId,
        Digest digest,
        Optional<Digest> configDigest,
        Duration hold,
        HealthPolicy policy)
        implements Watching {
    @Override
    public boolean continues(Watching other) {
        return other instanceof Watch later
                && node.equals(later.node)
                && attempt == later.attempt
                && program.equals(later.program);
    }
}
