package drover.coordinator.engine.health;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.observed.HealthVerdict;
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
public final class EvaluatorAssignments implements GroupHealthGate.EvaluatorPool, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EvaluatorAssignments.class);

    private static final int REPORTED = 10; // nodes of a log line

    private final FleetCache mirror;
    private final Consumer<Collection<NodeId>> wake;
    private final List<EvaluatorConnection> lines;
    private final Map<RolloutId, EvaluatorConnection> chosen = new HashMap<>();
    private final Map<RolloutId, EvaluatorSelector> triedEvaluators =
            new HashMap<>(); // while any was
    private final Map<NodeId, Assignment> held = new HashMap<>();
    private final FormerEvaluatorUnhealthyWatches detached = new FormerEvaluatorUnhealthyWatches();
    private long openings;
    private boolean closed;

    public EvaluatorAssignments(
            List<HealthEvaluatorLink.Connector> evaluators,
            FleetCache mirror,
            Consumer<Collection<NodeId>> wake) {
        this.mirror = mirror;
        this.wake = wake;
        this.lines = new ArrayList<>();
        EvaluatorConnection.VerdictListener ear = new ConnectionListener();
        evaluators.forEach(
                dialer -> lines.add(new EvaluatorConnection(lines.size() + 1, dialer, ear)));
    }

    /**
     * By which evaluator a node is watched, for which attempt and for whom.
     *
     * @param verdict its latest verdict; null before the first
     */
    private record Assignment(
            RolloutId rollout,
            long attempt,
            EvaluatorConnection evaluator,
            @Nullable HealthVerdict verdict) {
        Assignment withVerdict(HealthVerdict verdict) {
            return new Assignment(rollout, attempt, evaluator, verdict);
        }
    }

    /** Opens the links that are lost, and keeps the evaluators' lists of gateways right. */
    public synchronized void openIfLostAndSetGateways(List<String> addresses) {
        if (!closed) {
            for (EvaluatorConnection line : lines) {
                openings += line.openIfLostAndSetGateways(addresses, openings + 1) ? 1 : 0;
            }
        }
    }

    /**
     * Says by another number that a rollout's evaluator must be told everything again; zero while
     * none can be heard.
     */
    public synchronized long findOrChooseEvaluatorGeneration(RolloutId rollout) {
        return findOrChooseEvaluator(rollout).map(EvaluatorConnection::generation).orElse(0L);
    }

    /** The one with the least to do, so that rollouts spread; the first of the list on a tie. */
    private Optional<EvaluatorConnection> findOrChooseEvaluator(RolloutId rollout) {
        EvaluatorConnection present = chosen.get(rollout);
        if (present != null) {
            return Optional.of(present);
        }
        Optional<EvaluatorConnection> least =
                selectorFor(rollout).selectInitial(open()).map(this::connectionOf);
        least.ifPresent(line -> chosen.put(rollout, line));
        return least;
    }

    private EvaluatorSelector selectorFor(RolloutId rollout) {
        return triedEvaluators.getOrDefault(rollout, EvaluatorSelector.NONE_TRIED);
    }

    /** Those that can be heard. */
    private List<EvaluatorSelector.ConnectedEvaluator> open() {
        return lines.stream()
                .filter(EvaluatorConnection::isOpen)
                .map(
                        line ->
                                new EvaluatorSelector.ConnectedEvaluator(
                                        line.generation(), rolloutCount(line)))
                .toList();
    }

    private long rolloutCount(EvaluatorConnection line) {
        return chosen.values().stream().filter(other -> other == line).count();
    }

    private EvaluatorConnection connectionOf(EvaluatorSelector.ConnectedEvaluator open) {
        return lines.stream()
                .filter(line -> line.generation() == open.generation())
                .findFirst()
                .orElseThrow();
    }

    private Optional<EvaluatorConnection> findLeastBusy() {
        return EvaluatorSelector.NONE_TRIED.selectInitial(open()).map(this::connectionOf);
    }

    /**
     * Nothing is heard of some nodes of a rollout: all of it moves to an evaluator that was not
     * asked in vain. Where there is none it stays, and nothing changes.
     */
    public synchronized void switchEvaluatorIfPossible(
            RolloutId rollout, EvaluatorSelector.NodesWithoutData withoutData) {
        EvaluatorConnection present = chosen.get(rollout);
        if (present == null || closed) {
            return;
        }
        EvaluatorSelector known =
                selectorFor(rollout)
                        .withNodesWithoutData(present.generation(), open(), withoutData);
        Optional<EvaluatorConnection> next =
                known.selectNext(present.generation(), open()).map(this::connectionOf);
        if (next.isPresent()) {
            triedEvaluators.put(rollout, known);
            chosen.put(rollout, next.get());
            detach(rollout, present);
            LOG.warn(
                    "Nothing is heard of nodes; another health-evaluator is asked rolloutId={}"
                            + " nodeIds={} evaluator={} formerEvaluator={}",
                    rollout,
                    withoutData.nodes().stream().sorted().limit(REPORTED).toList(),
                    next.get().listPosition(),
                    present.listPosition());
        }
    }

    /**
     * That a node is well is not believed any more to an evaluator that was left; that it is not,
     * is.
     */
    private void detach(RolloutId rollout, EvaluatorConnection line) {
        Map<NodeId, Long> attempts =
                assignedAttempts(
                        present ->
                                present.evaluator() == line && present.rollout().equals(rollout));
        attempts.forEach(
                (node, attempt) -> {
                    Assignment over = Objects.requireNonNull(held.remove(node));
                    detached.add(line, node, attempt, over.verdict());
                });
        mirror.verdicts().resetAfterEvaluatorSwitch(attempts);
    }

    /** A rollout is over. */
    public synchronized void forget(RolloutId rollout) {
        chosen.remove(rollout);
        triedEvaluators.remove(rollout);
    }

    /**
     * A node is watched for its latest attempt: two rollouts may care for two programs of one node,
     * and what was proven for the earlier attempt cannot be proven any more (F1).
     */
    public synchronized void watch(RolloutId rollout, Collection<Watch> watches) {
        findOrChooseEvaluator(rollout)
                .ifPresent(
                        line -> {
                            List<Watch> latest = watches.stream().filter(this::isLatest).toList();
                            latest.forEach(watch -> assign(rollout, watch, line));
                            line.watch(latest);
                        });
    }

    private void assign(RolloutId rollout, Watch watch, EvaluatorConnection line) {
        Assignment before =
                held.put(watch.node(), new Assignment(rollout, watch.attempt(), line, null));
        detached.remove(line, watch.node());
        if (before != null && before.evaluator() != line) {
            before.evaluator().unwatch(List.of(watch.node()));
        }
    }

    /** The attempts of nodes that are held so. */
    private Map<NodeId, Long> assignedAttempts(Predicate<Assignment> filter) {
        return held.entrySet().stream()
                .filter(each -> filter.test(each.getValue()))
                .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().attempt()));
    }

    private boolean isAssigned(NodeId node, EvaluatorConnection line) {
        Assignment present = held.get(node);
        return present != null && present.evaluator() == line;
    }

    private boolean isLatest(Watch watch) {
        Assignment present = held.get(watch.node());
        return present == null || present.attempt() <= watch.attempt();
    }

    /** Nodes are not watched for these attempts any more; for a later one they still are. */
    public synchronized void unwatch(Map<NodeId, Long> attempts) {
        Map<EvaluatorConnection, List<NodeId>> over = new HashMap<>();
        attempts.forEach(
                (node, attempt) -> {
                    Assignment present = held.get(node);
                    if (present != null && present.attempt() == attempt) {
                        held.remove(node);
                        over.computeIfAbsent(present.evaluator(), _ -> new ArrayList<>()).add(node);
                    }
                });
        over.forEach(EvaluatorConnection::unwatch);
        detached.removeAndUnwatch(attempts);
    }

    @Override
    public synchronized OptionalLong nextEvaluator(Set<Long> inVain) {
        return open().stream()
                .filter(each -> !inVain.contains(each.generation()))
                .min(Comparator.comparingLong(EvaluatorSelector.ConnectedEvaluator::rollouts))
                .stream()
                .mapToLong(EvaluatorSelector.ConnectedEvaluator::generation)
                .findFirst();
    }

    /** A link of somebody else's, which verdicts of this desk's own links do not come over. */
    @Override
    public HealthEvaluatorLink openOrFallBack(
            OptionalLong which, HealthEvaluatorLink.Listener events) {
        HealthEvaluatorLink.Connector dialer;
        synchronized (this) {
            dialer =
                    lines.stream()
                            .filter(EvaluatorConnection::isOpen)
                            .filter(line -> line.generation() == which.orElse(0))
                            .findFirst()
                            .or(this::findLeastBusy)
                            .orElseGet(lines::getFirst)
                            .connector();
        }
        return dialer.open(events);
    }

    private synchronized boolean acceptOpened(EvaluatorConnection line, long which) {
        if (closed || line.generation() != which) {
            return false;
        }
        line.markOpen();
        mirror.verdicts().setEvaluatorConnected(true);
        return true;
    }

    /**
     * Takes in what this opening of the line may say: that of another one is old. Under the lock,
     * so that no node is well by a line that it has left (F3).
     */
    private synchronized Set<NodeId> applyVerdicts(
            EvaluatorConnection line, long which, Map<NodeId, HealthVerdict> verdicts) {
        if (line.generation() != which) {
            return Set.of();
        }
        Set<NodeId> received = new HashSet<>(detached.apply(line, verdicts));
        verdicts.forEach(
                (node, verdict) -> {
                    if (isAssigned(node, line)) {
                        held.computeIfPresent(node, (_, present) -> present.withVerdict(verdict));
                        received.add(node);
                    }
                });
        publishVerdicts(received);
        return received;
    }

    /** As the evaluator says that is asked, unless one that was left knows what is broken (F4). */
    private void publishVerdicts(Set<NodeId> nodes) {
        Map<NodeId, HealthVerdict> verdicts = new HashMap<>();
        for (NodeId node : nodes) {
            Assignment present = held.get(node);
            if (present != null) {
                detached.findUnhealthy(node, present.attempt())
                        .<HealthVerdict>map(broken -> broken)
                        .or(() -> Optional.ofNullable(present.verdict()))
                        .ifPresent(verdict -> verdicts.put(node, verdict));
            }
        }
        mirror.applyVerdicts(verdicts);
    }

    private synchronized boolean acceptClosed(EvaluatorConnection line, long which) {
        if (closed || line.generation() != which) {
            return false;
        }
        line.markLost();
        chosen.values().removeIf(other -> other == line);
        Map<NodeId, Long> orphans = assignedAttempts(present -> present.evaluator() == line);
        orphans.keySet().forEach(held::remove);
        publishVerdicts(detached.removeEvaluator(line));
        if (findLeastBusy().isEmpty()) {
            mirror.verdicts().setEvaluatorConnected(false);
        } else if (!orphans.isEmpty()) {
            mirror.verdicts().resetAfterEvaluatorLoss(orphans);
        }
        return true;
    }

    @Override
    public synchronized void close() {
        closed = true;
        lines.forEach(EvaluatorConnection::close);
    }

    /** Under the desk's lock, but for waking whoever has something to decide. */
    private final class ConnectionListener implements EvaluatorConnection.VerdictListener {
        @Override
        public void onOpened(EvaluatorConnection line, long opening) {
            if (acceptOpened(line, opening)) {
                wake.accept(mirror.nodesOfInterest());
            }
        }

        @Override
        public void onVerdicts(
                EvaluatorConnection line, long opening, Map<NodeId, HealthVerdict> verdicts) {
            wake.accept(applyVerdicts(line, opening, verdicts));
        }

        @Override
        public void onClosed(EvaluatorConnection line, long opening) {
            if (acceptClosed(line, opening)) {
                LOG.warn(
                        "A health-evaluator cannot be heard any more evaluator={}",
                        line.listPosition());
                wake.accept(mirror.nodesOfInterest());
            }
        }
    }
}
