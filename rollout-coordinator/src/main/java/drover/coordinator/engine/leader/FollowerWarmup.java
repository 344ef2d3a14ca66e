package drover.coordinator.engine.leader;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.engine.loop.DatabaseClock;
import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.engine.rollout.EffectRunner;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.engine.rollout.RolloutLoop;
import drover.coordinator.engine.rollout.RolloutLoop.TickResult;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What whoever stands by does once, so that its first term need not wait for code that this process
 * has never run: it reads and decides as a leader does, of one rollout, and asks gateways and
 * database to take it for a leader of an epoch that nobody is ever given, which they refuse. It
 * sends nothing and keeps nothing: a term begins from the database alone.
 */
final class FollowerWarmup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FollowerWarmup.class);

    /** The fence gives out 1 and higher; this one is to everybody that of a leader of before. */
    static final long IMPOSSIBLE_EPOCH = -1;

    private static final Duration FIRST = Duration.ofSeconds(1); // who is alone leads by then
    private static final Duration AGAIN = Duration.ofSeconds(10); // while there is no rollout
    private static final int TRIES = 3; // what the database does not answer is not worth more

    private final String candidate;
    private final LeaderDependencies neighbours;
    private final BooleanSupplier leads;
    private final WakeupSignal wakeup = new WakeupSignal();
    private volatile boolean closed;

    /**
     * One of this candidate.
     *
     * @param leads whether there is no need any more, since this one leads
     */
    FollowerWarmup(String candidate, LeaderDependencies neighbours, BooleanSupplier leads) {
        this.candidate = candidate;
        this.neighbours = neighbours;
        this.leads = leads;
    }

    /** Begins to look for a rollout to do it with, beside everything else. */
    void start() {
        Thread.ofVirtual().name("rehearsal").start(this::run);
    }

    /** There may be a rollout now. */
    void wake() {
        wakeup.signal();
    }

    @Override
    public void close() {
        closed = true;
        wakeup.signal();
    }

    private void run() {
        try {
            wakeup.sleep(FIRST);
            int failed = 0;
            while (!isUnnecessary() && failed < TRIES) {
                try {
                    if (warmUpOnce()) {
                        return;
                    }
                    wakeup.await(AGAIN);
                } catch (StoreUnavailable e) {
                    failed++;
                    LOG.debug("Nothing is rehearsed while the database is away", e);
                    wakeup.sleep(AGAIN);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("This coordinator stands by unrehearsed reason={}", e.getMessage(), e);
        }
    }

    private boolean isUnnecessary() {
        return closed || leads.getAsBoolean();
    }

    /** With the first rollout that it can be done with; false when there is none. */
    boolean warmUpOnce() {
        return neighbours.store().findActiveOrRequested().stream()
                .anyMatch(rollout -> isUnnecessary() || warmUp(rollout));
    }

    private boolean warmUp(RolloutId rollout) {
        try {
            TickResult ticked = tickWithImpossibleEpoch(rollout);
            if (ticked instanceof TickResult.Ended) {
                return false; // it has ended meanwhile
            }
            if (!(ticked
                    instanceof TickResult.SteppedDown)) { // nothing to decide, so nothing refused
                neighbours.store().load(rollout).ifPresent(this::verifyFenceRejects);
            }
        } catch (UnreadableRow e) {
            LOG.debug("A rollout is not rehearsed with", e); // its leader is of a later version
            return false;
        }
        neighbours.registry().listRecentGateways().forEach(this::connect);
        return true;
    }

    /** A gateway refuses an epoch below all it has seen, and stays with its leader (B4). */
    private void connect(RegisteredGateway gateway) {
        var _ =
                neighbours
                        .gateways()
                        .attach(
                                gateway.address(),
                                IMPOSSIBLE_EPOCH,
                                candidate,
                                new DiscardingListener());
    }

    private TickResult tickWithImpossibleEpoch(RolloutId rollout) {
        LeaderStore store = neighbours.store();
        DatabaseClock clock = new DatabaseClock(store, System::nanoTime);
        NodeReservationCache guards = new NodeReservationCache(store);
        FleetCache unseen = new FleetCache(clock::now, guards);
        RolloutLoop loop =
                new RolloutLoop(
                        rollout,
                        IMPOSSIBLE_EPOCH,
                        new LoopDependencies(
                                store,
                                unseen,
                                guards,
                                neighbours.timings(),
                                clock::now,
                                new DiscardingPeerClient()),
                        _ -> {});
        try {
            return loop.tick();
        } finally {
            loop.stop();
        }
    }

    /** The fence refuses it before anything is written (B1). */
    private void verifyFenceRejects(RolloutWithHistoryHead loaded) {
        Commit nothing =
                new Commit(
                        IMPOSSIBLE_EPOCH,
                        loaded.rollout(),
                        loaded.rollout().withNextRevision(),
                        List.of(),
                        loaded.historyHead(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null);
        if (!(neighbours.store().commit(nothing) instanceof Commit.Outcome.StaleEpoch)) {
            throw new IllegalStateException("The fence let in whom it never gave an epoch");
        }
    }

    /** Tells nobody anything. */
    private static final class DiscardingPeerClient implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {}

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {}

        @Override
        public void watch(RolloutId rollout, Collection<Watch> watches) {}

        @Override
        public void unwatch(Map<NodeId, Long> attempts) {}

        @Override
        public void switchEvaluator(
                RolloutId rollout, EvaluatorSelector.NodesWithoutData withoutData) {}

        @Override
        public long evaluatorGeneration(RolloutId rollout) {
            return 0;
        }
    }

    /** Hears nothing; the gateway's refusal ends the link. */
    private static final class DiscardingListener implements GatewayLink.Listener {
        @Override
        public void onOpened() {}

        @Override
        public void onConnected(List<ConnectedNode> nodes) {}

        @Override
        public void onDisconnected(List<NodeId> nodes) {}

        @Override
        public void onStatuses(List<ReportedStatus> reports) {}

        @Override
        public void onSnapshotEnd(long revision) {}

        @Override
        public void onClosed(boolean stale) {}
    }
}
