package drover.coordinator.engine;

import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.plan.HealthVerdict;
import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The link to the health-evaluator, opened again whenever it is lost. Each opening is a new
 * generation.
 */
final class HealthDesk implements AutoCloseable {
    private final HealthLink.Dialer dialer;
    private final FleetMirror mirror;
    private final Consumer<Collection<NodeId>> wake;
    private @Nullable HealthLink link;
    private List<String> gateways = List.of();
    private final Map<NodeId, Long> watched = new HashMap<>(); // by which attempt
    private long generation;
    private boolean closed;

    HealthDesk(HealthLink.Dialer dialer, FleetMirror mirror, Consumer<Collection<NodeId>> wake) {
        this.dialer = dialer;
        this.mirror = mirror;
        this.wake = wake;
    }

    /** Opens the link if it is lost, and keeps the evaluator's list of gateways right. */
    void follow(List<String> addresses) {
        boolean opened;
        synchronized (this) {
            if (closed) {
                return;
            }
            opened = link == null;
            if (opened) {
                generation++;
                watched.clear(); // a new evaluator knows nothing: all is asked of it again
                link = dialer.open(new Hearing(generation));
            }
            if (link != null && (opened || !addresses.equals(gateways))) {
                gateways = List.copyOf(addresses);
                link.gateways(gateways);
            }
        }
        if (opened) {
            wake.accept(mirror.interest());
        }
    }

    synchronized long generation() {
        return generation;
    }

    /**
     * A node is watched for its latest attempt: two rollouts may care for two programs of one node,
     * and what was proven for the earlier attempt cannot be proven any more (F1).
     */
    synchronized void watch(Collection<Watch> watches) {
        List<Watch> latest = watches.stream().filter(this::isLatest).toList();
        latest.forEach(watch -> watched.put(watch.node(), watch.attempt()));
        if (link != null && !latest.isEmpty()) {
            link.watch(latest);
        }
    }

    private boolean isLatest(Watch watch) {
        return watched.getOrDefault(watch.node(), 0L) <= watch.attempt();
    }

    /** Nodes are not watched for these attempts any more; for a later one they still are. */
    synchronized void unwatch(Map<NodeId, Long> attempts) {
        List<NodeId> over =
                attempts.entrySet().stream()
                        .filter(entry -> watched.remove(entry.getKey(), entry.getValue()))
                        .map(Map.Entry::getKey)
                        .toList();
        if (link != null && !over.isEmpty()) {
            link.unwatch(over);
        }
    }

    private synchronized boolean isCurrent(long which) {
        return which == generation && !closed;
    }

    private synchronized void lost(long which) {
        if (which == generation) {
            link = null;
            mirror.health(false);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (link != null) {
            link.close();
            link = null;
        }
    }

    /** What one opening of the link says. */
    private final class Hearing implements HealthLink.Events {
        private final long which;

        Hearing(long which) {
            this.which = which;
        }

        @Override
        public void opened() {
            if (isCurrent(which)) {
                mirror.health(true);
                wake.accept(mirror.interest());
            }
        }

        @Override
        public void verdicts(Map<NodeId, HealthVerdict> verdicts) {
            mirror.judged(verdicts);
            wake.accept(verdicts.keySet());
        }

        @Override
        public void closed() {
            lost(which);
        }
    }
}
