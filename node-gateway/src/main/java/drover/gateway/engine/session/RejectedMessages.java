package drover.gateway.engine.session;

import drover.gateway.session.AgentFinding;
import drover.model.NodeId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Latest rejected message of each node, as a finding of that node. It is kept in memory, because an
 * agent that continues to send such messages is noted again, here or at another gateway.
 */
final class RejectedMessages {
    /** Longer than an agent waits before it reconnects. */
    static final Duration RETENTION = Duration.ofMinutes(15);

    /** Most nodes. The node that was noted first is removed first. */
    static final int MAX_NODES = 1_000;

    private static final String CODE = "MESSAGE_REJECTED";

    private final LongSupplier nanoTime;
    private final Map<NodeId, RejectedMessage> latest = new LinkedHashMap<>(); // ordered by time

    private record RejectedMessage(long at, AgentFinding finding) {}

    /** {@code nanoTime} is a monotonic clock. */
    RejectedMessages(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Notes a rejected message; returns whether the finding is new. */
    synchronized boolean add(NodeId node, String why) {
        AgentFinding finding = new AgentFinding(CODE, "", why);
        RejectedMessage before = latest.remove(node);
        latest.put(node, new RejectedMessage(nanoTime.getAsLong(), finding));
        if (latest.size() > MAX_NODES) {
            latest.remove(latest.keySet().iterator().next());
        }
        return before == null || !before.finding().equals(finding);
    }

    /** The finding of a node; empty when none of its messages was rejected recently. */
    synchronized Optional<AgentFinding> findingOf(NodeId node) {
        return Optional.ofNullable(latest.get(node)).map(RejectedMessage::finding);
    }

    /** Removes old findings and returns their nodes. */
    synchronized List<NodeId> expire() {
        long now = nanoTime.getAsLong();
        List<NodeId> old =
                latest.entrySet().stream()
                        .filter(entry -> now - entry.getValue().at() >= RETENTION.toNanos())
                        .map(Map.Entry::getKey)
                        .toList();
        old.forEach(latest::remove);
        return old;
    }
}
