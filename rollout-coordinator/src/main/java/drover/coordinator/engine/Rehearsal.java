package drover.coordinator.engine;

import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.peers.GatewayLink.PresentNode;
import drover.coordinator.peers.GatewayLink.ReportedNode;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.store.Commit;
import drover.coordinator.store.GatewayRegistry.Registered;
import drover.coordinator.store.LeaderStore;
import drover.coordinator.store.LeaderStore.Loaded;
import drover.coordinator.store.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What whoever stands by does once, so that its first term need not wait for code that this process
 * has never run: it reads and decides as a leader does, of one rollout, and asks gateways and
 * database to take it for a leader of an epoch that nobody is ever given, which they refuse. It
 * sends nothing and keeps nothing: a term begins from the database alone.
 */
final class Rehearsal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

    /** The fence gives out 1 and higher; this one is to everybody that of a leader of before. */
    static final long NOBODYS = -1;

    private static final Duration FIRST = Duration.ofSeconds(1); // who is alone leads by then
    private static final Duration AGAIN = Duration.ofSeconds(10); // while there is no rollout

    private final String candidate;
    private final LeaderTerm.Neighbours neighbours;
    private final Nudge nudge = new Nudge();
    private volatile boolean closed;

    Rehearsal(String candidate, LeaderTerm.Neighbours neighbours) {
        this.candidate = candidate;
        this.neighbours = neighbours;
    }

    /**
     * Begins to look for a rollout to do it with, beside everything else.
     *
     * @param leads whether there is no need, since this one leads
     */
    void start(BooleanSupplier leads) {
        Thread.ofVirtual().name("rehearsal").start(() -> run(leads));
    }

    /** There may be a rollout now. */
    void wake() {
        nudge.give();
    }

    @Override
    public void close() {
        closed = true;
        nudge.give();
    }

    private void run(BooleanSupplier leads) {
        try {
            nudge.rest(FIRST);
            while (!closed && !leads.getAsBoolean() && !isOver()) {
                nudge.await(AGAIN);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOver() {
        try {
            return once();
        } catch (StoreUnavailable e) {
            LOG.debug("Nothing is rehearsed while the database is away", e);
            return false;
        } catch (RuntimeException e) {
            LOG.warn("This coordinator stands by unrehearsed reason={}", e.getMessage(), e);
            return true;
        }
    }

    /** False when there is no rollout to do it with. */
    boolean once() {
        Optional<RolloutId> some = neighbours.store().active().stream().findFirst();
        some.ifPresent(
                rollout -> {
                    neighbours.registry().gateways().forEach(this::dial);
                    decide(rollout);
                    neighbours.store().load(rollout).ifPresent(this::write);
                });
        return some.isPresent();
    }

    /** A gateway refuses an epoch below all it has seen, and stays with its leader (B4). */
    private void dial(Registered gateway) {
        var _ = neighbours.gateways().attach(gateway.address(), NOBODYS, candidate, new Deaf());
    }

    private void decide(RolloutId rollout) {
        LeaderStore store = neighbours.store();
        DatabaseClock clock = new DatabaseClock(store, System::nanoTime);
        Guards guards = new Guards(store);
        FleetMirror unseen = new FleetMirror(clock::now, guards);
        RolloutLoop loop =
                new RolloutLoop(
                        rollout,
                        NOBODYS,
                        new LeaderTerm.Parts(
                                store,
                                unseen,
                                guards,
                                neighbours.timings(),
                                clock::now,
                                new Mute()),
                        _ -> {});
        var _ = loop.tick();
        loop.stop();
    }

    /** The fence refuses it before anything is written (B1). */
    private void write(Loaded loaded) {
        Commit nothing =
                new Commit(
                        NOBODYS,
                        loaded.rollout(),
                        loaded.rollout().committed(),
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
    private static final class Mute implements EffectRunner.Peers {
        @Override
        public void deliver(String gateway, List<Delivery> deliveries) {}

        @Override
        public void acknowledge(List<Acknowledgement> acknowledgements) {}

        @Override
        public void watch(RolloutId rollout, Collection<Watch> watches) {}

        @Override
        public void unwatch(Map<NodeId, Long> attempts) {}

        @Override
        public long healthGeneration(RolloutId rollout) {
            return 0;
        }
    }

    /** Hears nothing; the gateway's refusal ends the link. */
    private static final class Deaf implements GatewayLink.Events {
        @Override
        public void opened() {}

        @Override
        public void present(List<PresentNode> nodes) {}

        @Override
        public void gone(List<NodeId> nodes) {}

        @Override
        public void reports(List<ReportedNode> reports) {}

        @Override
        public void snapshotEnd(long revision) {}

        @Override
        public void closed(boolean stale) {}
    }
}
