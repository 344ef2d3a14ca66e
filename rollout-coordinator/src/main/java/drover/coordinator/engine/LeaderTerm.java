package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.plan.EvaluatorChoice;
import drover.coordinator.plan.FleetView;
import drover.coordinator.plan.PreflightReport;
import drover.coordinator.store.GatewayRegistry;
import drover.coordinator.store.GatewayRegistry.Registered;
import drover.coordinator.store.LeaderStore;
import drover.coordinator.store.StoreUnavailable;
import drover.coordinator.store.UnreadableRow;
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
    private final TermParts parts;
    private final GatewayRegistry registry;
    private final GatewayPool gateways;
    private final BarWatch bars;
    private final HealthDesk health;
    private final FleetLoop fleetLoop;
    private final GroupLoop groups;
    private final PreflightLoop preflights;
    private final SpanLoop spans;
    private final List<EventLoop> events;
    private final AttentionLoop attention;
    private final RetentionLoop retention;
    private final DatabaseClock clock;
    private final Map<RolloutId, Pacer.Running> loops = new ConcurrentHashMap<>();
    private final Map<RolloutId, Set<NodeId>> targets =
            new ConcurrentHashMap<>(); // of the loops; two may have the same nodes
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Pacer pacer;
    private final Consumer<LeaderTerm> lost;
    private final Pacer.Running supervision;
    private int round;

    /**
     * Takes over and begins.
     *
     * @param lost called once, with this term, when it must end because another leader has taken
     *     over
     */
    public static LeaderTerm begin(
            String leader, Neighbours neighbours, Pacer pacer, Consumer<LeaderTerm> lost) {
        long epoch = neighbours.store().takeOver(leader);
        LOG.info("This coordinator leads epoch={} coordinatorId={}", epoch, leader);
        LeaderTerm term = new LeaderTerm(epoch, leader, neighbours, pacer, lost);
        term.supervision.start();
        term.spans.start();
        term.events.forEach(EventLoop::start);
        term.attention.start();
        term.retention.start();
        return term;
    }

    private LeaderTerm(
            long epoch,
            String leader,
            Neighbours neighbours,
            Pacer pacer,
            Consumer<LeaderTerm> lost) {
        this.epoch = epoch;
        this.pacer = pacer;
        this.lost = lost;
        this.registry = neighbours.registry();
        LeaderStore store = neighbours.store();
        this.clock = new DatabaseClock(store, pacer::nanos);
        Guards guards = new Guards(store);
        FleetMirror mirror = new FleetMirror(clock::now, guards);
        this.gateways =
                new GatewayPool(
                        neighbours.gateways(),
                        mirror,
                        epoch,
                        leader,
                        this::wake,
                        this::stepDown,
                        this::answered,
                        pacer::nanos,
                        neighbours.meter());
        this.bars =
                new BarWatch(
                        neighbours.bars(),
                        guards,
                        mirror,
                        gateways::drop,
                        this::wake,
                        this::askAnew);
        this.health = new HealthDesk(neighbours.health(), mirror, this::wake);
        this.parts =
                new TermParts(
                        store,
                        neighbours.bars(),
                        mirror,
                        guards,
                        neighbours.timings(),
                        clock::now,
                        new TermPeers(),
                        neighbours.meter());
        this.preflights = new PreflightLoop(epoch, parts);
        this.fleetLoop = new FleetLoop(epoch, parts, this::isOwned, this::show);
        GateDesk gates = new GateDesk(health, clock::now, this::wakeSupervision);
        this.groups = new GroupLoop(epoch, parts, gates, this::nudge);
        this.spans = new SpanLoop(epoch, neighbours.spans());
        this.events =
                neighbours.events().sinks().stream()
                        .map(
                                sink ->
                                        new EventLoop(
                                                epoch,
                                                neighbours.events(),
                                                sink,
                                                neighbours.meter(),
                                                clock::now))
                        .toList();
        this.attention =
                new AttentionLoop(epoch, neighbours.events().attention(), neighbours.meter());
        this.retention = new RetentionLoop(epoch, neighbours.retention(), clock::now);
        this.supervision = pacer.prepare("leader-" + epoch, new Supervision());
    }

    /** The fleet as this leader sees it now; for explanations. */
    public FleetView view() {
        return parts.mirror().view();
    }

    /** A request was written down for a rollout: its loop looks at once. */
    public void nudge(RolloutId id) {
        Pacer.Running loop = loops.get(id);
        if (loop == null) {
            supervision.wake();
        } else {
            loop.wake();
        }
    }

    private void answered(Map<NodeId, PreflightReport> reports) {
        preflights.heard(reports);
        supervision.wake();
    }

    private void wakeSupervision() {
        supervision.wake();
    }

    /** A round of the leader's own, every second. */
    private final class Supervision implements Pacer.Loop {
        @Override
        public Pacer.@Nullable Rest once() {
            if (ended.get()) {
                return null;
            }
            long began = pacer.nanos();
            supervise(round++);
            parts.meter().round("leader", Duration.ofNanos(pacer.nanos() - began));
            return ended.get() ? null : new Pacer.Rest(ROUND, true);
        }

        @Override
        public void ended() {}
    }

    private void supervise(int round) {
        try {
            // Not needed for safety, which is the fence of each commit (B1). It ends the streams
            // and
            // loops of a leader that was replaced and has nothing to commit.
            if (!parts.store().holds(epoch)) {
                stepDown();
                return;
            }
            parts.mirror().confirm();
            parts.store().active().forEach(this::ensureLoop); // they load while others dial
            List<Registered> followed = gateways.follow(registry.gateways());
            bars.look();
            List<String> addresses = followed.stream().map(Registered::address).toList();
            health.follow(addresses);
            if (!leads("fleet", fleetLoop::tick)
                    || !leads("groups", () -> groups.tick(addresses))
                    || !leads("preflights", preflights::tick)) {
                stepDown();
                return;
            }
            if (round % 10 == 0) {
                clock.synchronize();
                fleetLoop.withdrawStrays();
                loops.values()
                        .forEach(
                                Pacer.Running
                                        ::wake); // the batch promoter: nothing depends on a nudge
            }
        } catch (StoreUnavailable e) {
            parts.mirror().lookAway();
            LOG.warn("The database is away; trying again reason={}", e.getMessage());
        } catch (UnreadableRow e) {
            LOG.warn("A row cannot be read epoch={} reason={}", epoch, e.getMessage());
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                LOG.error("A round of the leader failed by a bug epoch={}", epoch, e);
                pacer.failed(e);
            }
        }
    }

    /** One part of a round: if it fails, the parts after it still run, and the fleet is visible. */
    private boolean leads(String loop, BooleanSupplier tick) {
        try {
            return tick.getAsBoolean();
        } catch (StoreUnavailable | UnreadableRow e) {
            throw e;
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                LOG.error("A part of the leader's round failed epoch={} loop={}", epoch, loop, e);
                parts.meter().failed(loop);
                pacer.failed(e);
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
                            new RolloutLoop(key, epoch, parts, nodes -> interest(key, nodes));
                    Pacer.Running running =
                            pacer.prepare(
                                    "rollout-" + key,
                                    new RolloutRounds(
                                            key,
                                            loop,
                                            parts.clock(),
                                            pacer,
                                            parts.meter(),
                                            this::stepDown,
                                            () -> over(key)));
                    running.start();
                    return running;
                });
    }

    /**
     * A rollout has ended: what its loop kept in memory goes, but for the nodes that another loop
     * looks at as well.
     */
    private void over(RolloutId rollout) {
        loops.remove(rollout);
        health.forget(rollout);
        synchronized (targets) {
            Set<NodeId> own = new HashSet<>(targets.getOrDefault(rollout, Set.of()));
            targets.remove(rollout);
            targets.values().forEach(own::removeAll);
            if (!own.isEmpty()) {
                gateways.interest(parts.mirror().disinterested(own), List.of(), own);
            }
        }
    }

    private void interest(RolloutId rollout, Collection<NodeId> nodes) {
        synchronized (targets) {
            targets.put(rollout, Set.copyOf(nodes));
            show(nodes);
        }
    }

    private void show(Collection<NodeId> nodes) {
        long revision = parts.mirror().interested(nodes);
        if (revision > 0) {
            gateways.interest(revision, nodes, List.of());
        }
    }

    /** They were taken for gone, wherever they are by now. */
    private void askAnew(Collection<NodeId> nodes) {
        gateways.interest(parts.mirror().unbar(nodes), nodes, List.of());
    }

    private void wake(Collection<NodeId> nodes) {
        Set<NodeId> strangers = new HashSet<>(nodes);
        targets.forEach(
                (rollout, own) -> {
                    Pacer.Running loop = loops.get(rollout);
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
    private boolean isOwned(ReportedNode report) {
        RolloutId rollout =
                report.rollout() != null
                        ? report.rollout()
                        : parts.guards().of(report.node()).openFor();
        return rollout != null && loops.containsKey(rollout);
    }

    /** Whether it has ended, or is about to. */
    boolean isOver() {
        return ended.get();
    }

    private void stepDown() {
        if (ended.compareAndSet(false, true)) {
            LOG.warn("This coordinator steps down epoch={}", epoch);
            pacer.prepare("step-down-" + epoch, new Loss()).start();
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
        loops.values().forEach(Pacer.Running::finish);
        joinLoops(until);
        close();
    }

    @Override
    public void close() {
        ended.set(true);
        spans.stop();
        events.forEach(EventLoop::stop);
        attention.stop();
        retention.stop();
        supervision.stop();
        loops.values().forEach(Pacer.Running::stop);
        gateways.close();
        health.close();
        long until = pacer.nanos() + CLOSING.toNanos();
        supervision.join(CLOSING);
        groups.close();
        loops.values().forEach(Pacer.Running::stop); // what it began meanwhile
        joinLoops(until);
    }

    private void joinLoops(long until) {
        loops.values().forEach(loop -> loop.join(Duration.ofNanos(until - pacer.nanos())));
    }

    /** Tells, beside whatever found it out, that this term is over. */
    private final class Loss implements Pacer.Loop {
        @Override
        public Pacer.@Nullable Rest once() {
            lost.accept(LeaderTerm.this);
            return null;
        }

        @Override
        public void ended() {}
    }

    /** Whom the loops send to. */
    private final class TermPeers implements EffectRunner.Peers {
        @Override
        public void deliver(String gateway, List<Delivery> deliveries) {
            gateways.deliver(gateway, bars.permitted(deliveries));
        }

        @Override
        public void acknowledge(List<Acknowledgement> acknowledgements) {
            gateways.acknowledge(acknowledgements);
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
        public void hearElsewhere(RolloutId rollout, EvaluatorChoice.Silence silence) {
            health.hearElsewhere(rollout, silence);
        }

        @Override
        public long healthGeneration(RolloutId rollout) {
            return health.generation(rollout);
        }
    }
}
