package drover.coordinator.peers;

import drover.coordinator.plan.observed.HealthVerdict;
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
public final class InMemoryHealthEvaluator implements HealthEvaluatorLink.Connector {
    private final Set<EvaluatorLink> lines = ConcurrentHashMap.newKeySet();
    private volatile Function<HealthEvaluatorLink.Watch, HealthVerdict> rule =
            watch -> new HealthVerdict.Healthy(watch.attempt());

    /**
     * What it thinks of a watched node from now on, told at once of those that are watched; at
     * first everybody is healthy.
     */
    public void setVerdicts(Function<HealthEvaluatorLink.Watch, HealthVerdict> how) {
        rule = how;
        lines.forEach(EvaluatorLink::sendVerdicts);
    }

    private volatile Function<NodeId, HealthVerdict> wholeRule =
            node -> new HealthVerdict.Healthy(0);

    /** What it thinks of a node with all its programs from now on; at first everybody is well. */
    public void setAllProgramsVerdicts(Function<NodeId, HealthVerdict> how) {
        wholeRule = how;
    }

    @Override
    public HealthEvaluatorLink open(HealthEvaluatorLink.Listener events) {
        EvaluatorLink line = new EvaluatorLink(events);
        lines.add(line);
        line.voice.execute(events::onOpened);
        return line;
    }

    private final class EvaluatorLink implements HealthEvaluatorLink {
        private final HealthEvaluatorLink.Listener events;
        private final Map<NodeId, Watch> watched = new HashMap<>();
        private final ExecutorService voice =
                Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());

        EvaluatorLink(HealthEvaluatorLink.Listener events) {
            this.events = events;
        }

        @Override
        public void setGateways(List<String> addresses) {}

        @Override
        public synchronized void watch(Collection<Watch> watches) {
            watches.forEach(watch -> watched.put(watch.node(), watch));
            sendVerdicts(watches);
        }

        @Override
        public synchronized void unwatch(Collection<NodeId> nodes) {
            watched.keySet().removeAll(nodes);
        }

        synchronized void sendVerdicts() {
            sendVerdicts(watched.values());
        }

        private void sendVerdicts(Collection<Watch> watches) {
            Map<NodeId, HealthVerdict> verdicts =
                    watches.stream().collect(Collectors.toMap(Watch::node, rule));
            voice.execute(() -> events.onVerdicts(verdicts));
        }

        @Override
        public void watchAllPrograms(Collection<AllProgramsWatch> nodes) {
            Map<NodeId, HealthVerdict> verdicts =
                    nodes.stream()
                            .map(AllProgramsWatch::node)
                            .collect(Collectors.toMap(Function.identity(), wholeRule));
            voice.execute(() -> events.onVerdicts(verdicts));
        }

        @Override
        public void close() {
            lines.remove(this);
            voice.shutdown();
        }
    }
}
