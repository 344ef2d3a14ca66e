package drover.gateway.engine.stream;

import drover.model.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which nodes somebody must look at again: a set, not a queue, so that it is never larger than the
 * fleet however slowly it is emptied. One thread takes, any thread marks.
 */
public final class DirtyNodes {
    /** Questions are answered one by one up to here; beyond, the latest answers for all. */
    private static final int MOST_REVISIONS = 64;

    /**
     * What was marked since the last round.
     *
     * @param nodes each with whether it must be answered even if nothing changed
     * @param interest of which nodes somebody wants to hear from now on, and of which no more
     * @param revisions questions that are answered once these nodes are told
     */
    public record TakenChanges(
            Map<NodeId, Boolean> nodes, Map<NodeId, Boolean> interest, List<Long> revisions) {
        private static final TakenChanges CLOSED = new TakenChanges(Map.of(), Map.of(), List.of());

        /** Brings a set of nodes of interest up to date. */
        public void applyInterestTo(Set<NodeId> interesting) {
            interest.forEach(
                    (node, wanted) -> {
                        if (wanted) {
                            interesting.add(node);
                        } else {
                            interesting.remove(node);
                        }
                    });
        }
    }

    private Map<NodeId, Boolean> nodes = new LinkedHashMap<>();
    private Map<NodeId, Boolean> interest = new LinkedHashMap<>();
    private List<Long> revisions = new ArrayList<>();
    private boolean woken;
    private boolean closed;

    /** Something changed on this node. */
    public synchronized void mark(NodeId node) {
        nodes.putIfAbsent(node, false);
        notifyAll();
    }

    /**
     * Somebody asks for the added nodes and expects an answer in any case. The same round brings
     * the interest and the answer, so that nothing is said as news that the answer then repeats.
     */
    public synchronized void updateInterest(
            Collection<NodeId> add, Collection<NodeId> remove, long revision) {
        for (NodeId node : remove) {
            interest.put(node, false);
            nodes.putIfAbsent(node, false); // so that the writer forgets it
        }
        for (NodeId node : add) {
            interest.put(node, true);
            nodes.put(node, true);
        }
        if (revisions.size() >= MOST_REVISIONS) {
            revisions.removeLast();
        }
        revisions.add(revision);
        notifyAll();
    }

    /** Something changed that concerns no node alone: the next round comes at once. */
    public synchronized void wake() {
        woken = true;
        notifyAll();
    }

    /** Waits for marks and takes them all; an empty round without revisions once closed. */
    public synchronized TakenChanges take() throws InterruptedException {
        while (!closed && isEmpty()) {
            wait();
        }
        if (closed) {
            return TakenChanges.CLOSED;
        }
        TakenChanges round = new TakenChanges(nodes, interest, revisions);
        nodes = new LinkedHashMap<>();
        interest = new LinkedHashMap<>();
        revisions = new ArrayList<>();
        woken = false;
        return round;
    }

    /** Nobody takes any more. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    public synchronized boolean isEmpty() {
        return !woken && nodes.isEmpty() && revisions.isEmpty();
    }

    public synchronized boolean isClosed() {
        return closed;
    }
}
