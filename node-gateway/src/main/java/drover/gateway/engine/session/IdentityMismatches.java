package drover.gateway.engine.session;

import drover.model.NodeId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Nodes whose credential was shown lately by an agent that takes itself for another node (invariant
 * H1). In memory alone: whoever goes on trying is noted again, here or at another gateway.
 */
final class IdentityMismatches {
    /** Three times what a refused agent waits at the most: one that still tries is among them. */
    static final Duration RETENTION = Duration.ofMinutes(15);

    /** Each is for a person; the one that tried last is kept. */
    static final int MAX_NODES = 1_000;

    private final LongSupplier nanoTime;
    private final Map<NodeId, Long> triedAt = new LinkedHashMap<>(); // in the order of that

    /** None yet. {@code nanoTime} is a monotonic clock. */
    IdentityMismatches(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The credential of this node was shown by such an agent; whether that is news. */
    synchronized boolean add(NodeId node) {
        boolean news = triedAt.remove(node) == null;
        triedAt.put(node, nanoTime.getAsLong());
        if (triedAt.size() > MAX_NODES) {
            triedAt.remove(triedAt.keySet().iterator().next());
        }
        return news;
    }

    /** Forgets whose last try was long ago; whether there was any. */
    synchronized boolean expire() {
        long now = nanoTime.getAsLong();
        return triedAt.values().removeIf(at -> now - at >= RETENTION.toNanos());
    }

    /** All of them. */
    synchronized Set<NodeId> nodes() {
        return Set.copyOf(triedAt.keySet());
    }
}
