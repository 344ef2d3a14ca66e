package drover.gateway.engine;

import drover.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which nodes somebody must look at again: a set, not a queue, so that it is never larger than the
 * fleet however slowly it is emptied. One thread takes, any thread marks.
 */
final class DirtyNodes {
    /** Questions are answered one by one up to here; beyond, the latest answers for all. */
    private static final int MOST_REVISIONS = 64;

    /**
     * What was marked since the last round.
     *
     * @param nodes each with whether it must be answered even if nothing changed
     * @param revisions questions that are answered once these nodes are told
     */
    record Round(Map<NodeId, Boolean> nodes, List<Long> revisions) {}

    private Map<NodeId, Boolean> nodes = new LinkedHashMap<>();
    private List<Long> revisions = new ArrayList<>();
    private boolean closed;

    /** Something changed on this node. */
    synchronized void mark(NodeId node) {
        nodes.putIfAbsent(node, false);
        notifyAll();
    }

    /** Somebody asks for these nodes and expects an answer in any case. */
    synchronized void ask(Collection<NodeId> asked, long revision) {
        asked.forEach(node -> nodes.put(node, true));
        if (revisions.size() >= MOST_REVISIONS) {
            revisions.removeLast();
        }
        revisions.add(revision);
        notifyAll();
    }

    /** Waits for marks and takes them all; an empty round without revisions once closed. */
    synchronized Round take() throws InterruptedException {
        while (!closed && nodes.isEmpty() && revisions.isEmpty()) {
            wait();
        }
        if (closed) {
            return new Round(Map.of(), List.of());
        }
        Round round = new Round(nodes, revisions);
        nodes = new LinkedHashMap<>();
        revisions = new ArrayList<>();
        return round;
    }

    /** Nobody takes any more. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized boolean isEmpty() {
        return nodes.isEmpty() && revisions.isEmpty();
    }

    synchronized boolean isClosed() {
        return closed;
    }
}
