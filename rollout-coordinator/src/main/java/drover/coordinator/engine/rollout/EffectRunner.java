package drover.coordinator.engine.rollout;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.peers.CommandBodySerializer;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.StoredUnsignedCommand;
import drover.coordinator.trace.SpanIds;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Brings the effects of one rollout about. Remembers what it sent to which session and sends what
 * is new, unanswered for 10 s, or whose session changed; everything it sends may arrive twice
 * (invariants C1, C2, C14).
 */
public final class EffectRunner {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final LeaderStore store;
    private final FleetCache mirror;
    private final PeerClient peers;
    private final long epoch;
    private final SpanIds ids;
    private final Map<NodeId, SentEffect> sent = new HashMap<>();
    private final Map<NodeId, SentAcknowledgement> acknowledged = new HashMap<>();
    private final Map<NodeId, Effect.Watch> watched = new HashMap<>();
    private long healthGeneration;
    private long watchedAtReturns;

    EffectRunner(
            LeaderStore store, FleetCache mirror, PeerClient peers, long epoch, String traceId) {
        this.store = store;
        this.mirror = mirror;
        this.peers = peers;
        this.epoch = epoch;
        this.ids = new SpanIds(traceId);
    }

    private record SentEffect(Effect effect, String session, Instant at) {}

    /**
     * @param arrivals how often the status had come; when it comes again, the acknowledgement was
     *     lost
     */
    private record SentAcknowledgement(
            StatusAcknowledgementToAgent acknowledgement, long arrivals) {}

    /** Whom things are sent to. */
    public interface PeerClient {
        void deliver(String gateway, List<MessageToNode> deliveries);

        void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements);

        void watch(RolloutId rollout, Collection<Watch> watches);

        /** Nodes are not watched for these attempts any more. */
        void unwatch(Map<NodeId, Long> attempts);

        /** Nothing is heard of these nodes: the rollout asks another evaluator, if it can. */
        void switchEvaluator(RolloutId rollout, EvaluatorSelector.NodesWithoutData withoutData);

        /** Another number whenever the rollout's evaluator must be told everything again. */
        long evaluatorGeneration(RolloutId rollout);
    }

    void run(Rollout rollout, Set<Effect> effects, Instant now) {
        acknowledge(effects);
        switchEvaluator(rollout, effects); // first: whoever is asked then is told everything
        updateWatches(rollout, effects);
        deliverDue(rollout, effects, now);
    }

    /** Ends what was asked of others for this rollout. */
    void unwatchAll() {
        if (!watched.isEmpty()) {
            peers.unwatch(attemptsByNode(watched.values()));
            watched.clear();
        }
    }

    private void acknowledge(Set<Effect> effects) {
        List<StatusAcknowledgementToAgent> fresh = new ArrayList<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Acknowledge wanted) {
                StatusAcknowledgementToAgent ack = toAcknowledgement(wanted);
                SentAcknowledgement latest =
                        new SentAcknowledgement(ack, mirror.statusArrivalCount(wanted.node()));
                if (!latest.equals(acknowledged.put(wanted.node(), latest))) {
                    fresh.add(ack);
                }
            }
        }
        if (!fresh.isEmpty()) {
            peers.acknowledge(fresh);
        }
    }

    private static StatusAcknowledgementToAgent toAcknowledgement(Effect.Acknowledge wanted) {
        return new StatusAcknowledgementToAgent(
                wanted.node(), wanted.attempt(), wanted.sequence(), wanted.successorSeen());
    }

    private void switchEvaluator(Rollout rollout, Set<Effect> effects) {
        Set<NodeId> unresponsive =
                effects.stream()
                        .filter(Effect.SwitchHealthEvaluator.class::isInstance)
                        .map(Effect::node)
                        .collect(Collectors.toSet());
        if (!unresponsive.isEmpty()) {
            Instant since = rollout.state().since();
            peers.switchEvaluator(
                    rollout.id(),
                    new EvaluatorSelector.NodesWithoutData(
                            since, unresponsive, nodesAwaitingHealth(rollout)));
        }
    }

    private static Set<NodeId> nodesAwaitingHealth(Rollout rollout) {
        return rollout.nodes().values().stream()
                .filter(node -> isAwaitingHealth(node.state()))
                .map(NodeUpgrade::id)
                .collect(Collectors.toSet());
    }

    /** The states in which the planner requests another evaluator for a node without data. */
    private static boolean isAwaitingHealth(NodeState state) {
        return switch (state) {
            case NodeState.Settling _, NodeState.Observed _ -> true;
            case NodeState.Succeeded _, NodeState.Restored _ -> true;
            case NodeState.Pending _, NodeState.Held _, NodeState.Skipped _ -> false;
            case NodeState.Assigned _, NodeState.Upgrading _, NodeState.Restoring _ -> false;
            case NodeState.RolledBack back -> !back.runId().isEmpty() && back.finding().isEmpty();
            case NodeState.Unhealthy _ -> false;
            case NodeState.Failed _, NodeState.FailedRollback _, NodeState.Unreachable _ -> false;
        };
    }

    private void updateWatches(Rollout rollout, Set<Effect> effects) {
        Map<NodeId, Effect.Watch> wanted = new HashMap<>();
        for (Effect effect : effects) {
            if (effect instanceof Effect.Watch watch) {
                wanted.put(watch.node(), watch);
            }
        }
        unwatchAllBut(wanted.keySet());
        long generation = peers.evaluatorGeneration(rollout.id());
        long returns = mirror.reinstatementCount();
        if (healthGeneration != generation || watchedAtReturns != returns) {
            healthGeneration = generation;
            watchedAtReturns = returns; // of what it said of a barred node nothing is known
            watched.clear(); // a new evaluator knows nothing; nodes count their wellness themselves
        }
        List<Watch> fresh =
                wanted.values().stream()
                        .filter(watch -> !watch.equals(watched.put(watch.node(), watch)))
                        .map(watch -> toWatch(rollout, watch))
                        .toList();
        if (!fresh.isEmpty()) {
            peers.watch(rollout.id(), fresh);
        }
    }

    private void unwatchAllBut(Set<NodeId> wanted) {
        List<Effect.Watch> over =
                watched.values().stream().filter(watch -> !wanted.contains(watch.node())).toList();
        if (!over.isEmpty()) {
            peers.unwatch(attemptsByNode(over));
            over.forEach(watch -> watched.remove(watch.node()));
            over.forEach(watch -> mirror.verdicts().forget(watch.node(), watch.attempt()));
        }
    }

    private static Map<NodeId, Long> attemptsByNode(Collection<Effect.Watch> watches) {
        return watches.stream()
                .collect(Collectors.toMap(Effect.Watch::node, Effect.Watch::attempt));
    }

    private static Watch toWatch(Rollout rollout, Effect.Watch watch) {
        return new Watch(
                watch.node(),
                watch.attempt(),
                rollout.spec().binary().value(),
                watch.runId(),
                watch.digest(),
                watch.config(),
                rollout.spec().healthWait(),
                rollout.spec().crashLoopRestarts());
    }

    private void deliverDue(Rollout rollout, Set<Effect> effects, Instant now) {
        Map<NodeId, Long> commands = new HashMap<>();
        Map<String, List<MessageToNode>> byGateway = new HashMap<>();
        for (Effect effect : effects) {
            NodeView.Present session = mirror.session(effect.node()).orElse(null);
            if (session == null || !isDue(effect, session.session(), now)) {
                continue;
            }
            if (effect instanceof Effect.Command(NodeId node, long attempt)) {
                commands.put(node, attempt);
            } else if (effect instanceof Effect.Withdraw(NodeId node, long through)) {
                addDelivery(
                        byGateway,
                        new MessageToNode.Withdraw(node, session.session(), through, epoch));
            } else if (effect instanceof Effect.StopOldAgent stop) {
                addDelivery(byGateway, toStopDelivery(stop, session.session()));
            } else {
                continue;
            }
            sent.put(effect.node(), new SentEffect(effect, session.session(), now));
        }
        if (!commands.isEmpty()) {
            toDeliveries(rollout, commands).forEach(command -> addDelivery(byGateway, command));
        }
        byGateway.forEach(peers::deliver);
    }

    private MessageToNode toStopDelivery(Effect.StopOldAgent stop, String session) {
        return new MessageToNode.StopOldAgent(
                stop.node(),
                session,
                epoch,
                stop.attempt(),
                stop.successorVersion(),
                stop.successorDigest());
    }

    private boolean isDue(Effect effect, String session, Instant now) {
        SentEffect last = sent.get(effect.node());
        return last == null
                || !last.effect().equals(effect)
                || !last.session().equals(session)
                || !now.isBefore(last.at().plus(ANSWER_WITHIN));
    }

    private void addDelivery(Map<String, List<MessageToNode>> byGateway, MessageToNode delivery) {
        mirror.gatewayOf(delivery.node())
                .ifPresent(
                        gateway ->
                                byGateway
                                        .computeIfAbsent(gateway, id -> new ArrayList<>())
                                        .add(delivery));
    }

    private List<MessageToNode> toDeliveries(Rollout rollout, Map<NodeId, Long> attempts) {
        Map<NodeId, StoredUnsignedCommand> stored = store.loadCommands(rollout.id(), attempts);
        Set<String> digests = new HashSet<>();
        stored.values()
                .forEach(
                        command ->
                                digests.addAll(
                                        CommandBodySerializer.contentDigestsOf(command.body())));
        Map<String, byte[]> contents = digests.isEmpty() ? Map.of() : store.loadContents(digests);
        List<MessageToNode> deliveries = new ArrayList<>();
        stored.forEach(
                (node, command) ->
                        mirror.session(node)
                                .ifPresent(
                                        session ->
                                                deliveries.add(
                                                        toDelivery(
                                                                node,
                                                                attempts.getOrDefault(node, 0L),
                                                                session,
                                                                command,
                                                                contents))));
        return deliveries;
    }

    private MessageToNode toDelivery(
            NodeId node,
            long attempt,
            NodeView.Present session,
            StoredUnsignedCommand command,
            Map<String, byte[]> contents) {
        Map<String, byte[]> own = new HashMap<>();
        for (String digest : CommandBodySerializer.contentDigestsOf(command.body())) {
            byte[] data = contents.get(digest);
            if (data != null) {
                own.put(digest, data);
            }
        }
        return new MessageToNode.Command(
                node,
                session.session(),
                command.restore(),
                epoch,
                ids.traceparent(node, attempt),
                command.body(),
                own);
    }
}
