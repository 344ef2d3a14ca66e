package drover.coordinator.engine.leader;

import drover.coordinator.engine.export.EventSinkLoop;
import drover.coordinator.engine.export.RetentionLoop;
import drover.coordinator.engine.export.SpanExportLoop;
import drover.coordinator.engine.fleet.BlockedNodeGuard;
import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.GatewayPool;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.engine.group.GroupLoop;
import drover.coordinator.engine.health.EvaluatorAssignments;
import drover.coordinator.engine.health.GroupHealthGate;
import drover.coordinator.engine.loop.DatabaseClock;
import drover.coordinator.engine.loop.LoopScheduler;
import drover.coordinator.engine.metrics.AttentionCountLoop;
import drover.coordinator.engine.node.OrphanedAttemptLoop;
import drover.coordinator.engine.node.PreflightLoop;
import drover.coordinator.engine.rollout.EffectRunner;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.engine.rollout.RolloutLoop;
import drover.coordinator.engine.rollout.SingleRolloutLoopRunner;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.coordinator.store.gateway.GatewayRegistryReader;
import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that one leader runs, from taking over until it steps down: a loop per rollout, the
 * fleet loop, and the links to gateways and evaluator. A new term begins from the database alone.
 */
public final class LeaderTerm implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTerm.class);
    private static final Duration CLOSING =
            Duration.ofSeconds(5); // a tick ends sooner; whatever does not is fenced
    private static final Duration FINISHING =
            Duration.ofSeconds(1); // a round takes milliseconds; what waits longer is broken off
    private static final Duration ROUND =
            Duration.ofSeconds(1); // new gateways and rollouts are in use within one

    private final long epoch;
    private final LoopDependencies parts;
    private final GatewayRegistryReader registry;
    private final GatewayPool gateways;
    private final BlockedNodeGuard blockedNodes;
    private final EvaluatorAssignments health;
    private final OrphanedAttemptLoop fleetLoop;
    private final GroupLoop groups;
    private final PreflightLoop preflights;
    private final SpanExportLoop spans;
    private final List<EventSinkLoop> events;
    private final AttentionCountLoop attention;
    private final RetentionLoop retention;
    private final DatabaseClock clock;
    private final Map<RolloutId, LoopScheduler.LoopHandle> loops = new ConcurrentHashMap<>();
    private final Map<RolloutId, Set<NodeId>> targets =
            new ConcurrentHashMap<>(); // of the loops; two may have the same nodes
    private final AtomicBoolean ended = new AtomicBoolean();
    private final LoopScheduler pacer;
    private final Consumer<LeaderTerm> lost;
    private final LoopScheduler.LoopHandle supervision;
    private int round;

    /**
     * Takes over and begins.
     *
     * @param lost called once, with this term, when it must end because another leader has taken
     *     over
     */
    public static LeaderTerm start(
            String leader,
            LeaderDependencies neighbours,
            LoopScheduler pacer,
            Consumer<LeaderTerm> lost) {
        long epoch = neighbours.store().takeOver(leader);
        LOG.info("This coordinator leads epoch={} coordinatorId={}", epoch, leader);
        LeaderTerm term = new LeaderTerm(epoch, leader, neighbours, pacer, lost);
        term.supervision.start();
        term.spans.start();
        term.events.forEach(EventSinkLoop::start);
        term.attention.start();
        term.retention.start();
        return term;
    }

    private LeaderTerm(
            long epoch,
            String leader,
            LeaderDependencies neighbours,
            LoopScheduler pacer,
            Consumer<LeaderTerm> lost) {
        this.epoch = epoch;
        this.pacer = pacer;
        this.lost = lost;
        this.registry = neighbours.registry();
        LeaderStore store = neighbours.store();
        this.clock = new DatabaseClock(store, pacer::nanos);
        NodeReservationCache guards = new NodeReservationCache(store);
        FleetCache mirror = new FleetCache(clock::now, guards);
        this.gateways =
                new GatewayPool(
                        neighbours.gateways(),
                        mirror,
                        epoch,
                        leader,
                        this::wakeLoops,
                        this::stepDown,
                        this::enqueuePreflightReports,
                        pacer::nanos,
                        neighbours.meter());
        this.blockedNodes =
                new BlockedNodeGuard(
                        neighbours.blockedNodes(),
                        guards,
                        mirror,
                        gateways::dropCommands,
                        this::wakeLoops,
                        this::unblockAndResubscribe);
        this.health = new EvaluatorAssignments(neighbours.health(), mirror, this::wakeLoops);
        this.parts =
                new LoopDependencies(
                        store,
                        neighbours.blockedNodes(),
                        mirror,
                        guards,
                        neighbours.timings(),
                        clock::now,
                        new GatewayAndEvaluatorSender(),
                        neighbours.meter());
        this.preflights = new PreflightLoop(epoch, parts);
        this.fleetLoop =
                new OrphanedAttemptLoop(epoch, parts, this::hasRolloutLoop, this::publishInterest);
        GroupHealthGate gates = new GroupHealthGate(health, clock::now, this::wakeSupervision);
        this.groups = new GroupLoop(epoch, parts, gates, this::wakeRollout);
        this.spans = new SpanExportLoop(epoch, neighbours.spans());
        this.events =
                neighbours.events().sinks().stream()
                        .map(
                                sink ->
                                        new EventSinkLoop(
                                                epoch,
                                                neighbours.events(),
                                                sink,
                                                neighbours.meter(),
                                                clock::now))
                        .toList();
        this.attention =
                new AttentionCountLoop(epoch, neighbours.events().attention(), neighbours.meter());
        this.retention = new RetentionLoop(epoch, neighbours.retention(), clock::now);
        this.supervision = pacer.prepare("leader-" + epoch, new SupervisionLoop());
    }

    /** The fleet as this leader sees it now; for explanations. */
    public FleetView fleetView() {
        return parts.fleet().snapshot();
    }

    /** A request was written down for a rollout: its loop looks at once. */
    public void wakeRollout(RolloutId id) {
        LoopScheduler.LoopHandle loop = loops.get(id);
        if (loop == null) {
            supervision.wake();
        } else {
            loop.wake();
        }
    }

    private void enqueuePreflightReports(Map<NodeId, AgentPreflightReport> reports) {
        preflights.enqueueReports(reports);
        supervision.wake();
    }

    private void wakeSupervision() {
        supervision.wake();
    }

    /** A round of the leader's own, every second. */
    private final class SupervisionLoop implements LoopScheduler.Loop {
        @Override
        public LoopScheduler.@Nullable Pause runOnce() {
            if (ended.get()) {
                return null;
            }
            long started = pacer.nanos();
            supervise(round++);
            parts.meter().recordRound("leader", Duration.ofNanos(pacer.nanos() - started));
            return ended.get() ? null : new LoopScheduler.Pause(ROUND, true);
        }

        @Override
        public void onEnd() {}
    }

    private void supervise(int round) {
        try {
            // Not needed for safety, which is the fence of each commit (B1). It ends the streams
            // and
            // loops of a leader that was replaced and has nothing to commit.
            if (!parts.store().isCurrentEpoch(epoch)) {
                stepDown();
                return;
            }
            parts.fleet().confirmFence();
            parts.store()
                    .findActiveOrRequested()
                    .forEach(this::ensureLoop); // they load while others dial
            List<RegisteredGateway> followed =
                    gateways.updateGateways(registry.listRecentGateways());
            blockedNodes.updateBlockedNodes();
            List<String> addresses = followed.stream().map(RegisteredGateway::address).toList();
            health.openIfLostAndSetGateways(addresses);
            if (!tickOrSkip("fleet", fleetLoop::tickUnlessStale)
                    || !tickOrSkip("groups", () -> groups.tickUnlessStale(addresses))
                    || !tickOrSkip("preflights", preflights::tickUnlessStale)) {
                stepDown();
                return;
            }
            if (round % 10 == 0) {
                clock.synchronize();
                fleetLoop.withdrawOrphanedAttempts();
                loops.values()
                        .forEach(
                                LoopScheduler.LoopHandle
                                        ::wake); // the batch promoter: nothing depends on a nudge
            }
        } catch (StoreUnavailable e) {
            parts.fleet().markStoreUnavailable();
            LOG.warn("The database is away; trying again reason={}", e.getMessage());
        } catch (UnreadableRow e) {
            LOG.warn("A row cannot be read epoch={} reason={}", epoch, e.getMessage());
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                LOG.error("A round of the leader failed by a bug epoch={}", epoch, e);
                pacer.reportBug(e);
            }
        }
    }

    /** One part of a round: if it fails, the parts after it still run, and the fleet is visible. */
    private boolean tickOrSkip(String loop, BooleanSupplier tick) {
        try {
            return tick.getAsBoolean();
        } catch (StoreUnavailable | UnreadableRow e) {
            throw e;
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                LOG.error("A part of the leader's round failed epoch={} loop={}", epoch, loop, e);
                parts.meter().recordFailure(loop);
                pacer.reportBug(e);
            }
            return true;
        }
    }

    private void ensureLoop(RolloutId id) {
        if (ended.get()) {
            return;
        }
        loops.computeIfAbsent(
                id,
                key -> {
                    RolloutLoop loop =
                            new RolloutLoop(key, epoch, parts, nodes -> setInterest(key, nodes));
                    LoopScheduler.LoopHandle running =
                            pacer.prepare(
                                    "rollout-" + key,
                                    new SingleRolloutLoopRunner(
                                            key,
                                            loop,
                                            parts.clock(),
                                            pacer,
                                            parts.meter(),
                                            this::stepDown,
                                            () -> releaseRollout(key)));
                    running.start();
                    return running;
                });
    }

    /**
     * A rollout has ended: what its loop kept in memory goes, but for the nodes that another loop
     * looks at as well.
     */
    private void releaseRollout(RolloutId rollout) {
        loops.remove(rollout);
        health.forget(rollout);
        synchronized (targets) {
            Set<NodeId> own = new HashSet<>(targets.getOrDefault(rollout, Set.of()));
            targets.remove(rollout);
            targets.values().forEach(own::removeAll);
            if (!own.isEmpty()) {
                gateways.broadcastInterest(parts.fleet().removeInterest(own), List.of(), own);
            }
        }
    }

    private void setInterest(RolloutId rollout, Collection<NodeId> nodes) {
        synchronized (targets) {
            targets.put(rollout, Set.copyOf(nodes));
            publishInterest(nodes);
        }
    }

    private void publishInterest(Collection<NodeId> nodes) {
        long revision = parts.fleet().addInterest(nodes);
        if (revision > 0) {
            gateways.broadcastInterest(revision, nodes, List.of());
        }
    }

    /** They were taken for gone, wherever they are by now. */
    private void unblockAndResubscribe(Collection<NodeId> nodes) {
        gateways.broadcastInterest(parts.fleet().unblock(nodes), nodes, List.of());
    }

    private void wakeLoops(Collection<NodeId> nodes) {
        Set<NodeId> strangers = new HashSet<>(nodes);
        targets.forEach(
                (rollout, own) -> {
                    LoopScheduler.LoopHandle loop = loops.get(rollout);
                    if (loop != null && !Collections.disjoint(own, nodes)) {
                        loop.wake();
                        strangers.removeAll(own);
                    }
                });
        if (!strangers.isEmpty()) {
            supervision.wake(); // nobody's: the fleet loop looks
        }
    }

    /** Whether a status belongs to a rollout that a loop cares for. */
    private boolean hasRolloutLoop(ReportedStatus report) {
        RolloutId rollout =
                report.rollout() != null
                        ? report.rollout()
                        : parts.reservations().of(report.node()).openFor();
        return rollout != null && loops.containsKey(rollout);
    }

    /** Whether it has ended, or is about to. */
    boolean hasEnded() {
        return ended.get();
    }

    private void stepDown() {
        if (ended.compareAndSet(false, true)) {
            LOG.warn("This coordinator steps down epoch={}", epoch);
            pacer.prepare("step-down-" + epoch, new LossNotifier()).start();
        }
    }

    /**
     * Ends it because this process is asked to end. Unlike {@link #close}, rounds of rollouts that
     * are under way come to their ends first: a commit that is broken off takes longer than one
     * that is answered, and its follower would do it again.
     */
    void finish() {
        finish(FINISHING);
    }

    void finish(Duration atMost) {
        ended.set(true);
        long until = pacer.nanos() + atMost.toNanos();
        supervision.finish();
        supervision.join(atMost); // no loop is begun from here on
        loops.values().forEach(LoopScheduler.LoopHandle::finish);
        joinLoops(until);
        close();
    }

    @Override
    public void close() {
        ended.set(true);
        spans.stop();
        events.forEach(EventSinkLoop::stop);
        attention.stop();
        retention.stop();
        supervision.stop();
        loops.values().forEach(LoopScheduler.LoopHandle::stop);
        gateways.close();
        health.close();
        long until = pacer.nanos() + CLOSING.toNanos();
        supervision.join(CLOSING);
        groups.close();
        loops.values().forEach(LoopScheduler.LoopHandle::stop); // what it began meanwhile
        joinLoops(until);
    }

    private void joinLoops(long until) {
        loops.values().forEach(loop -> loop.join(Duration.ofNanos(until - pacer.nanos())));
    }

    /** Tells, beside whatever found it out, that this term is over. */
    private final class LossNotifier implements LoopScheduler.Loop {
        @Override
        public LoopScheduler.@Nullable Pause runOnce() {
            lost.accept(LeaderTerm.this);
            return null;
        }

        @Override
        public void onEnd() {}
    }

    /** Whom the loops send to. */
    private final class GatewayAndEvaluatorSender implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {
            gateways.deliver(gateway, blockedNodes.refreshAndDropBlocked(deliveries));
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {
            gateways.broadcastAcknowledgements(acknowledgements);
        }

        @Override
        public void watch(RolloutId rollout, Collection<Watch> watches) {
            health.watch(rollout, watches);
        }

        @Override
        public void unwatch(Map<NodeId, Long> attempts) {
            health.unwatch(attempts);
        }

        @Override
        public void switchEvaluator(
                RolloutId rollout, EvaluatorSelector.NodesWithoutData withoutData) {
            health.switchEvaluatorIfPossible(rollout, withoutData);
        }

        @Override
        public long evaluatorGeneration(RolloutId rollout) {
            return health.findOrChooseEvaluatorGeneration(rollout);
        }
    }
}
