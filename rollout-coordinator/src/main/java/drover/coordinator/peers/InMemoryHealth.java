package drover.coordinator.peers;

import drover.coordinator.plan.HealthVerdict;
import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A health-evaluator without a network: answers every watch by a rule of the test's. */
public final class InMemoryHealth implements HealthLink.Dialer {
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();
    private volatile Function<HealthLink.Watch, HealthVerdict> rule =
            watch -> new HealthVerdict.Healthy(watch.attempt());

    /**
     * What it thinks of a watched node from now on, told at once of those that are watched; at
     * first everybody is healthy.
     */
    public void judge(Function<HealthLink.Watch, HealthVerdict> how) {
        rule = how;
        lines.forEach(Line::tell);
    }

    @Override
    public HealthLink open(HealthLink.Events events) {
        Line line = new Line(events);
        lines.add(line);
        line.voice.execute(events::opened);
        return line;
    }

    private final class Line implements HealthLink {
        private final HealthLink.Events events;
        private final Map<NodeId, Watch> watched = new HashMap<>();
        private final ExecutorService voice =
                Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());

        Line(HealthLink.Events events) {
            this.events = events;
        }

        @Override
        public void gateways(List<String> addresses) {}

        @Override
        public synchronized void watch(Collection<Watch> watches) {
            watches.forEach(watch -> watched.put(watch.node(), watch));
            tell(watches);
        }

        @Override
        public synchronized void unwatch(Collection<NodeId> nodes) {
            watched.keySet().removeAll(nodes);
        }

        synchronized void tell() {
            tell(watched.values());
        }

        private void tell(Collection<Watch> watches) {
            Map<NodeId, HealthVerdict> verdicts =
                    watches.stream().collect(Collectors.toMap(Watch::node, rule));
            voice.execute(() -> events.verdicts(verdicts));
        }

        @Override
        public void close() {
            lines.remove(this);
            voice.shutdown();
        }
    }
}
