package drover.coordinator.engine;

import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.plan.EvaluatorChoice;
import drover.coordinator.plan.HealthVerdict;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health-evaluators of this leader: each rollout has one, chosen among those that can be heard
 * and kept until it is lost, or hears nothing of a node that another one may hear; then that one is
 * asked. That costs one heartbeat, because the nodes count themselves how long they are well. How
 * often they went from well to bad is counted by evaluators: one that was left watches on, and what
 * it finds broken counts (F4); with a lost one its count is lost.
 */
final class HealthDesk implements GateDesk.Evaluators, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthDesk.class);

    private static final int TOLD = 10; // nodes of a log line

    private final FleetMirror mirror;
    private final Consumer<Collection<NodeId>> wake;
    private final List<EvaluatorLine> lines;
    private final Map<RolloutId, EvaluatorLine> chosen = new HashMap<>();
    private final Map<RolloutId, EvaluatorChoice> inVain = new HashMap<>(); // while any was
    private final Map<NodeId, Held> held = new HashMap<>();
    private final LeftWatches left = new LeftWatches();
    private long openings;
    private boolean closed;

    HealthDesk(
            List<HealthLink.Dialer> evaluators,
            FleetMirror mirror,
            Consumer<Collection<NodeId>> wake) {
        this.mirror = mirror;
        this.wake = wake;
        this.lines = new ArrayList<>();
        EvaluatorLine.Ear ear = new Ear();
        evaluators.forEach(dialer -> lines.add(new EvaluatorLine(lines.size() + 1, dialer, ear)));
    }

    /**
     * By which evaluator a node is watched, for which attempt and for whom.
     *
     * @param said its latest verdict; null before the first
     */
    private record Held(
            RolloutId rollout, long attempt, EvaluatorLine by, @Nullable HealthVerdict said) {
        Held saying(HealthVerdict verdict) {
            return new Held(rollout, attempt, by, verdict);
        }
    }

    /** Opens the links that are lost, and keeps the evaluators' lists of gateways right. */
    synchronized void follow(List<String> addresses) {
        if (!closed) {
            for (EvaluatorLine line : lines) {
                openings += line.follow(addresses, openings + 1) ? 1 : 0;
            }
        }
    }

    /**
     * Says by another number that a rollout's evaluator must be told everything again; zero while
     * none can be heard.
     */
    synchronized long generation(RolloutId rollout) {
        return lineOf(rollout).map(EvaluatorLine::opening).orElse(0L);
    }

    /** The one with the least to do, so that rollouts spread; the first of the list on a tie. */
    private Optional<EvaluatorLine> lineOf(RolloutId rollout) {
        EvaluatorLine present = chosen.get(rollout);
        if (present != null) {
            return Optional.of(present);
        }
        Optional<EvaluatorLine> least = choice(rollout).first(open()).map(this::line);
        least.ifPresent(line -> chosen.put(rollout, line));
        return least;
    }

    private EvaluatorChoice choice(RolloutId rollout) {
        return inVain.getOrDefault(rollout, EvaluatorChoice.FRESH);
    }

    /** Those that can be heard. */
    private List<EvaluatorChoice.Open> open() {
        return lines.stream()
                .filter(EvaluatorLine::isOpen)
                .map(line -> new EvaluatorChoice.Open(line.opening(), rollouts(line)))
                .toList();
    }

    private long rollouts(EvaluatorLine line) {
        return chosen.values().stream().filter(other -> other == line).count();
    }

    private EvaluatorLine line(EvaluatorChoice.Open open) {
        return lines.stream()
                .filter(line -> line.opening() == open.opening())
                .findFirst()
                .orElseThrow();
    }

    private Optional<EvaluatorLine> leastBusy() {
        return EvaluatorChoice.FRESH.first(open()).map(this::line);
    }

    /**
     * Nothing is heard of some nodes of a rollout: all of it moves to an evaluator that was not
     * asked in vain. Where there is none it stays, and nothing changes.
     */
    synchronized void hearElsewhere(RolloutId rollout, EvaluatorChoice.Silence silence) {
        EvaluatorLine present = chosen.get(rollout);
        if (present == null || closed) {
            return;
        }
        EvaluatorChoice known = choice(rollout).without(present.opening(), open(), silence);
        Optional<EvaluatorLine> next = known.next(present.opening(), open()).map(this::line);
        if (next.isPresent()) {
            inVain.put(rollout, known);
            chosen.put(rollout, next.get());
            leave(rollout, present);
            LOG.warn(
                    "Nothing is heard of nodes; another health-evaluator is asked rolloutId={}"
                            + " nodeIds={} evaluator={} formerEvaluator={}",
                    rollout,
                    silence.nodes().stream().sorted().limit(TOLD).toList(),
                    next.get().number(),
                    present.number());
        }
    }

    /**
     * That a node is well is not believed any more to an evaluator that was left; that it is not,
     * is.
     */
    private void leave(RolloutId rollout, EvaluatorLine line) {
        Map<NodeId, Long> attempts =
                heldBy(present -> present.by() == line && present.rollout().equals(rollout));
        attempts.forEach(
                (node, attempt) -> {
                    Held over = Objects.requireNonNull(held.remove(node));
                    left.add(line, node, attempt, over.said());
                });
        mirror.verdicts().askedElsewhere(attempts);
    }

    /** A rollout is over. */
    synchronized void forget(RolloutId rollout) {
        chosen.remove(rollout);
        inVain.remove(rollout);
    }

    /**
     * A node is watched for its latest attempt: two rollouts may care for two programs of one node,
     * and what was proven for the earlier attempt cannot be proven any more (F1).
     */
    synchronized void watch(RolloutId rollout, Collection<Watch> watches) {
        lineOf(rollout)
                .ifPresent(
                        line -> {
                            List<Watch> latest = watches.stream().filter(this::isLatest).toList();
                            latest.forEach(watch -> hold(rollout, watch, line));
                            line.watch(latest);
                        });
    }

    private void hold(RolloutId rollout, Watch watch, EvaluatorLine line) {
        Held before = held.put(watch.node(), new Held(rollout, watch.attempt(), line, null));
        left.replaced(line, watch.node());
        if (before != null && before.by() != line) {
            before.by().unwatch(List.of(watch.node()));
        }
    }

    /** The attempts of nodes that are held so. */
    private Map<NodeId, Long> heldBy(Predicate<Held> whom) {
        return held.entrySet().stream()
                .filter(each -> whom.test(each.getValue()))
                .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().attempt()));
    }

    private boolean isHeld(NodeId node, EvaluatorLine line) {
        Held present = held.get(node);
        return present != null && present.by() == line;
    }

    private boolean isLatest(Watch watch) {
        Held present = held.get(watch.node());
        return present == null || present.attempt() <= watch.attempt();
    }

    /** Nodes are not watched for these attempts any more; for a later one they still are. */
    synchronized void unwatch(Map<NodeId, Long> attempts) {
        Map<EvaluatorLine, List<NodeId>> over = new HashMap<>();
        attempts.forEach(
                (node, attempt) -> {
                    Held present = held.get(node);
                    if (present != null && present.attempt() == attempt) {
                        held.remove(node);
                        over.computeIfAbsent(present.by(), _ -> new ArrayList<>()).add(node);
                    }
                });
        over.forEach(EvaluatorLine::unwatch);
        left.end(attempts);
    }

    @Override
    public synchronized OptionalLong other(Set<Long> inVain) {
        return open().stream()
                .filter(each -> !inVain.contains(each.opening()))
                .min(Comparator.comparingLong(EvaluatorChoice.Open::rollouts))
                .stream()
                .mapToLong(EvaluatorChoice.Open::opening)
                .findFirst();
    }

    /** A link of somebody else's, which verdicts of this desk's own links do not come over. */
    @Override
    public HealthLink open(OptionalLong which, HealthLink.Events events) {
        HealthLink.Dialer dialer;
        synchronized (this) {
            dialer =
                    lines.stream()
                            .filter(EvaluatorLine::isOpen)
                            .filter(line -> line.opening() == which.orElse(0))
                            .findFirst()
                            .or(this::leastBusy)
                            .orElseGet(lines::getFirst)
                            .dialer();
        }
        return dialer.open(events);
    }

    private synchronized boolean isHeard(EvaluatorLine line, long which) {
        if (closed || line.opening() != which) {
            return false;
        }
        line.heard();
        mirror.verdicts().heard(true);
        return true;
    }

    /**
     * Takes in what this opening of the line may say: that of another one is old. Under the lock,
     * so that no node is well by a line that it has left (F3).
     */
    private synchronized Set<NodeId> takeIn(
            EvaluatorLine line, long which, Map<NodeId, HealthVerdict> verdicts) {
        if (line.opening() != which) {
            return Set.of();
        }
        Set<NodeId> told = new HashSet<>(left.takeIn(line, verdicts));
        verdicts.forEach(
                (node, verdict) -> {
                    if (isHeld(node, line)) {
                        held.computeIfPresent(node, (_, present) -> present.saying(verdict));
                        told.add(node);
                    }
                });
        judge(told);
        return told;
    }

    /** As the evaluator says that is asked, unless one that was left knows what is broken (F4). */
    private void judge(Set<NodeId> nodes) {
        Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        for (NodeId node : nodes) {
            Held present = held.get(node);
            if (present != null) {
                left.broken(node, present.attempt())
                        .<HealthVerdict>map(broken -> broken)
                        .or(() -> Optional.ofNullable(present.said()))
                        .ifPresent(verdict -> verdicts.put(node, verdict));
            }
        }
        mirror.judged(verdicts);
    }

    private synchronized boolean isLost(EvaluatorLine line, long which) {
        if (closed || line.opening() != which) {
            return false;
        }
        line.lost();
        chosen.values().removeIf(other -> other == line);
        Map<NodeId, Long> orphans = heldBy(present -> present.by() == line);
        orphans.keySet().forEach(held::remove);
        judge(left.lost(line));
        if (leastBusy().isEmpty()) {
            mirror.verdicts().heard(false);
        } else if (!orphans.isEmpty()) {
            mirror.verdicts().judgedAnew(orphans);
        }
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        lines.forEach(EvaluatorLine::close);
    }

    /** Under the desk's lock, but for waking whoever has something to decide. */
    private final class Ear implements EvaluatorLine.Ear {
        @Override
        public void opened(EvaluatorLine line, long opening) {
            if (isHeard(line, opening)) {
                wake.accept(mirror.interest());
            }
        }

        @Override
        public void verdicts(
                EvaluatorLine line, long opening, Map<NodeId, HealthVerdict> verdicts) {
            wake.accept(takeIn(line, opening, verdicts));
        }

        @Override
        public void closed(EvaluatorLine line, long opening) {
            if (isLost(line, opening)) {
                LOG.warn("A health-evaluator cannot be heard any more evaluator={}", line.number());
                wake.accept(mirror.interest());
            }
        }
    }
}
