package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.plan.FleetView;
import drover.coordinator.plan.Timings;
import drover.coordinator.store.GatewayRegistry;
import drover.coordinator.store.GatewayRegistry.Registered;
import drover.coordinator.store.LeaderStore;
import drover.coordinator.store.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
    private static final Duration ROUND =
            Duration.ofSeconds(1); // new gateways and rollouts are in use within one

    private final long epoch;
    private final Parts parts;
    private final GatewayRegistry registry;
    private final GatewayPool gateways;
    private final HealthDesk health;
    private final FleetLoop fleetLoop;
    private final SpanLoop spans;
    private final DatabaseClock clock;
    private final Map<RolloutId, LoopThread> loops = new ConcurrentHashMap<>();
    private final Map<NodeId, RolloutId> owners = new ConcurrentHashMap<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Nudge nudge = new Nudge();
    private final Consumer<LeaderTerm> lost;
    private final Thread thread;

    /** What the loops of a term share. */
    record Parts(
            LeaderStore store,
            FleetMirror mirror,
            Guards guards,
            Timings timings,
            Supplier<Instant> clock,
            EffectRunner.Peers peers) {}

    /** What a term is made of. */
    public record Neighbours(
            LeaderStore store,
            GatewayRegistry registry,
            GatewayLink.Dialer gateways,
            HealthLink.Dialer health,
            Timings timings,
            SpanLoop.Ends spans) {}

    /**
     * Takes over and begins.
     *
     * @param lost called once, with this term, when it must end because another leader has taken
     *     over
     */
    public static LeaderTerm begin(
            String leader, Neighbours neighbours, Consumer<LeaderTerm> lost) {
        long epoch = neighbours.store().takeOver(leader);
        LOG.info("This coordinator leads epoch={} leader={}", epoch, leader);
        LeaderTerm term = new LeaderTerm(epoch, leader, neighbours, lost);
        term.thread.start();
        term.spans.start();
        return term;
    }

    private LeaderTerm(
            long epoch, String leader, Neighbours neighbours, Consumer<LeaderTerm> lost) {
        this.epoch = epoch;
        this.lost = lost;
        this.registry = neighbours.registry();
        LeaderStore store = neighbours.store();
        this.clock = new DatabaseClock(store, System::nanoTime);
        Guards guards = new Guards(store);
        FleetMirror mirror = new FleetMirror(clock::now, guards);
        this.gateways =
                new GatewayPool(
                        neighbours.gateways(), mirror, epoch, leader, this::wake, this::stepDown);
        this.health = new HealthDesk(neighbours.health(), mirror, this::wake);
        this.parts =
                new Parts(store, mirror, guards, neighbours.timings(), clock::now, new TermPeers());
        this.fleetLoop = new FleetLoop(epoch, parts, this::isOwned, this::show);
        this.spans = new SpanLoop(epoch, neighbours.spans());
        this.thread = Thread.ofVirtual().name("leader-" + epoch).unstarted(this::run);
    }

    /** The fleet as this leader sees it now; for explanations. */
    public FleetView view() {
        return parts.mirror().view();
    }

    /** A request was written down for a rollout: its loop looks at once. */
    public void nudge(RolloutId id) {
        LoopThread loop = loops.get(id);
        if (loop == null) {
            nudge.give();
        } else {
            loop.wake();
        }
    }

    private void run() {
        try {
            int round = 0;
            while (!ended.get()) {
                supervise(round++);
                nudge.await(ROUND);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    private void supervise(int round) {
        try {
            if (!parts.store().holds(epoch)) {
                stepDown();
                return;
            }
            parts.mirror().confirm();
            List<Registered> registered = registry.gateways();
            gateways.follow(registered);
            health.follow(registered.stream().map(Registered::address).toList());
            parts.store().active().forEach(this::ensureLoop);
            if (!fleetLoop.tick()) {
                stepDown();
                return;
            }
            if (round % 10 == 0) {
                clock.synchronize();
                fleetLoop.withdrawStrays();
                loops.values()
                        .forEach(
                                LoopThread::wake); // the batch promoter: nothing depends on a nudge
            }
        } catch (StoreUnavailable e) {
            parts.mirror().lookAway();
            LOG.warn("The database is away; trying again reason={}", e.getMessage());
        } catch (RuntimeException e) {
            if (!ended.get()) {
                LOG.error("A round of the leader failed by a bug epoch={}", epoch, e);
            }
        }
    }

    private void ensureLoop(RolloutId id) {
        loops.computeIfAbsent(
                id,
                key -> {
                    RolloutLoop loop =
                            new RolloutLoop(key, epoch, parts, nodes -> interest(key, nodes));
                    LoopThread thread =
                            new LoopThread(
                                    key, loop, parts.clock(), this::stepDown, () -> over(key));
                    thread.start();
                    return thread;
                });
    }

    /** A rollout has ended: what its loop kept in memory goes. */
    private void over(RolloutId rollout) {
        loops.remove(rollout);
        List<NodeId> own =
                owners.entrySet().stream()
                        .filter(entry -> entry.getValue().equals(rollout))
                        .map(Map.Entry::getKey)
                        .toList();
        own.forEach(node -> owners.remove(node, rollout));
        if (!own.isEmpty()) {
            gateways.interest(parts.mirror().disinterested(own), List.of(), own);
        }
    }

    private void interest(RolloutId rollout, Collection<NodeId> nodes) {
        nodes.forEach(node -> owners.put(node, rollout));
        show(nodes);
    }

    private void show(Collection<NodeId> nodes) {
        long revision = parts.mirror().interested(nodes);
        if (revision > 0) {
            gateways.interest(revision, nodes, List.of());
        }
    }

    private void wake(Collection<NodeId> nodes) {
        nodes.stream().map(owners::get).distinct().forEach(this::wakeOwner);
    }

    private void wakeOwner(@org.jspecify.annotations.Nullable RolloutId id) {
        LoopThread loop = id == null ? null : loops.get(id);
        if (loop == null) {
            nudge.give(); // nobody's: the fleet loop looks
        } else {
            loop.wake();
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
            Thread.ofVirtual().name("step-down-" + epoch).start(() -> lost.accept(this));
        }
    }

    @Override
    public void close() {
        ended.set(true);
        thread.interrupt();
        spans.stop();
        List<LoopThread> ending = List.copyOf(loops.values());
        ending.forEach(LoopThread::stop);
        gateways.close();
        health.close();
        Instant until = Instant.ofEpochSecond(0, System.nanoTime()).plus(CLOSING);
        join(thread, until);
        ending.forEach(loop -> join(loop.thread(), until));
    }

    /** Waits for a thread of this term, so that nothing of it runs on after it is closed. */
    private static void join(Thread ending, Instant until) {
        try {
            Duration left = Duration.between(Instant.ofEpochSecond(0, System.nanoTime()), until);
            if (!ending.equals(Thread.currentThread()) && ending.isAlive() && left.isPositive()) {
                ending.join(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whom the loops send to. */
    private final class TermPeers implements EffectRunner.Peers {
        @Override
        public void deliver(String gateway, List<Delivery> deliveries) {
            gateways.deliver(gateway, deliveries);
        }

        @Override
        public void acknowledge(List<Acknowledgement> acknowledgements) {
            gateways.acknowledge(acknowledgements);
        }

        @Override
        public void watch(Collection<Watch> watches) {
            health.watch(watches);
        }

        @Override
        public void unwatch(Collection<NodeId> nodes) {
            health.unwatch(nodes);
        }

        @Override
        public long healthGeneration() {
            return health.generation();
        }
    }
}
