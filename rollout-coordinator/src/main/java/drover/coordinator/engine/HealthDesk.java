package drover.coordinator.engine;

import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.plan.HealthVerdict;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health-evaluators of this leader: each rollout has one, chosen among those that can be heard
 * and kept until it is lost; then its watches go to another. That costs one heartbeat, because the
 * nodes count themselves how long they are well.
 */
final class HealthDesk implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthDesk.class);

    private final FleetMirror mirror;
    private final Consumer<Collection<NodeId>> wake;
    private final List<Line> lines;
    private final Map<RolloutId, Line> chosen = new HashMap<>();
    private final Map<NodeId, Held> held = new HashMap<>();
    private long openings;
    private boolean closed;

    HealthDesk(
            List<HealthLink.Dialer> evaluators,
            FleetMirror mirror,
            Consumer<Collection<NodeId>> wake) {
        this.mirror = mirror;
        this.wake = wake;
        this.lines = new ArrayList<>();
        evaluators.forEach(dialer -> lines.add(new Line(lines.size() + 1, dialer)));
    }

    /** By which evaluator a node is watched, and for which attempt. */
    private record Held(long attempt, Line by) {}

    /** Opens the links that are lost, and keeps the evaluators' lists of gateways right. */
    synchronized void follow(List<String> addresses) {
        if (!closed) {
            lines.forEach(line -> line.follow(addresses));
        }
    }

    /**
     * Says by another number that a rollout's evaluator must be told everything again; zero while
     * none can be heard.
     */
    synchronized long generation(RolloutId rollout) {
        return lineOf(rollout).map(line -> line.opening).orElse(0L);
    }

    /** The one with the least to do, so that rollouts spread; the first of the list on a tie. */
    private Optional<Line> lineOf(RolloutId rollout) {
        Line present = chosen.get(rollout);
        if (present != null) {
            return Optional.of(present);
        }
        Optional<Line> least = leastBusy();
        least.ifPresent(line -> chosen.put(rollout, line));
        return least;
    }

    private Optional<Line> leastBusy() {
        return lines.stream()
                .filter(line -> line.open)
                .min(
                        Comparator.comparingLong(
                                line ->
                                        chosen.values().stream()
                                                .filter(other -> other == line)
                                                .count()));
    }

    /** A rollout is over. */
    synchronized void forget(RolloutId rollout) {
        chosen.remove(rollout);
    }

    /**
     * A node is watched for its latest attempt: two rollouts may care for two programs of one node,
     * and what was proven for the earlier attempt cannot be proven any more (F1).
     */
    synchronized void watch(RolloutId rollout, Collection<Watch> watches) {
        lineOf(rollout)
                .ifPresent(line -> line.watch(watches.stream().filter(this::isLatest).toList()));
    }

    private boolean isLatest(Watch watch) {
        Held present = held.get(watch.node());
        return present == null || present.attempt() <= watch.attempt();
    }

    /** Nodes are not watched for these attempts any more; for a later one they still are. */
    synchronized void unwatch(Map<NodeId, Long> attempts) {
        Map<Line, List<NodeId>> over = new HashMap<>();
        attempts.forEach(
                (node, attempt) -> {
                    Held present = held.get(node);
                    if (present != null && present.attempt() == attempt) {
                        held.remove(node);
                        over.computeIfAbsent(present.by(), _ -> new ArrayList<>()).add(node);
                    }
                });
        over.forEach(Line::unwatch);
    }

    /** A link of somebody else's to an evaluator that can be heard, as far as one can. */
    HealthLink open(HealthLink.Events events) {
        HealthLink.Dialer dialer;
        synchronized (this) {
            dialer = leastBusy().orElseGet(lines::getFirst).dialer;
        }
        return dialer.open(events);
    }

    private synchronized boolean isHeard(Line line, long which) {
        if (closed || line.opening != which) {
            return false;
        }
        line.open = true;
        mirror.health(true);
        return true;
    }

    /** What this opening of the line may say: that of another one is old. */
    private synchronized Map<NodeId, HealthVerdict> own(
            Line line, long which, Map<NodeId, HealthVerdict> verdicts) {
        return verdicts.entrySet().stream()
                .filter(_ -> line.opening == which)
                .filter(verdict -> line.holds(verdict.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private synchronized boolean isLost(Line line, long which) {
        if (closed || line.opening != which) {
            return false;
        }
        line.link = null;
        line.open = false;
        chosen.values().removeIf(other -> other == line);
        List<NodeId> orphans = held.keySet().stream().filter(line::holds).toList();
        orphans.forEach(held::remove);
        if (leastBusy().isEmpty()) {
            mirror.health(false);
        } else if (!orphans.isEmpty()) {
            mirror.judgedAnew(orphans);
        }
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        lines.forEach(Line::close);
    }

    /** The link to one evaluator. Used under the desk's lock. */
    private final class Line {
        private final int number;
        private final HealthLink.Dialer dialer;
        private @Nullable HealthLink link; // null while it is lost
        private boolean open;
        private long opening;
        private List<String> gateways = List.of();

        Line(int number, HealthLink.Dialer dialer) {
            this.number = number;
            this.dialer = dialer;
        }

        void follow(List<String> addresses) {
            boolean dialled = link == null;
            if (dialled) {
                opening = ++openings;
                link = dialer.open(new Hearing(this, opening));
            }
            if (link != null && (dialled || !addresses.equals(gateways))) {
                gateways = List.copyOf(addresses);
                link.gateways(gateways);
            }
        }

        void watch(List<Watch> watches) {
            for (Watch watch : watches) {
                Held before = held.put(watch.node(), new Held(watch.attempt(), this));
                if (before != null && before.by() != this) {
                    before.by().unwatch(List.of(watch.node()));
                }
            }
            if (link != null && !watches.isEmpty()) {
                link.watch(watches);
            }
        }

        void unwatch(Collection<NodeId> nodes) {
            if (link != null) {
                link.unwatch(nodes);
            }
        }

        boolean holds(NodeId node) {
            Held present = held.get(node);
            return present != null && present.by() == this;
        }

        void close() {
            if (link != null) {
                link.close();
                link = null;
            }
        }
    }

    /** What one opening of a line says. */
    private final class Hearing implements HealthLink.Events {
        private final Line line;
        private final long which;

        Hearing(Line line, long which) {
            this.line = line;
            this.which = which;
        }

        @Override
        public void opened() {
            if (isHeard(line, which)) {
                wake.accept(mirror.interest());
            }
        }

        @Override
        public void verdicts(Map<NodeId, HealthVerdict> verdicts) {
            Map<NodeId, HealthVerdict> own = own(line, which, verdicts);
            mirror.judged(own);
            wake.accept(own.keySet());
        }

        @Override
        public void closed() {
            if (isLost(line, which)) {
                LOG.warn("A health-evaluator cannot be heard any more evaluator={}", line.number);
                wake.accept(mirror.interest());
            }
        }
    }
}
