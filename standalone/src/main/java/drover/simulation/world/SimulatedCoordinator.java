package drover.simulation.world;

import drover.coordinator.engine.export.SpanExportLoop;
import drover.coordinator.engine.leader.LeaderDependencies;
import drover.coordinator.engine.leader.LeaderTerm;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import drover.coordinator.store.memory.FaultyLeaderStore;
import drover.coordinator.store.memory.FaultyLeaderStore.Fault;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A coordinator's process: what it leads, while it leads, and its connection to the store. */
public final class SimulatedCoordinator {
    /** Not a second look later than a leader must notice that it sees nothing. */
    private static final Duration DETECTION = Duration.ofSeconds(12);

    public final String id;
    private final SimulatedWorld world;
    private final FaultyLeaderStore store;
    private final List<SimulatedLeaderStream> links = new ArrayList<>();
    private VirtualLoopScheduler scheduler;
    private @Nullable LeaderTerm term;
    private int lostCallsPerTenThousand;
    private boolean storeUnavailable;
    private int crashAtWrite = -1;
    private Duration downtimeAfterCrash = Duration.ZERO;
    private long storeUnavailableSince;
    private long noVisibilityUntil;
    private long ledSince;
    private long stoodSince;
    private long frozenUntil;

    SimulatedCoordinator(String id, SimulatedWorld world) {
        this.id = id;
        this.world = world;
        this.store =
                new FaultyLeaderStore(
                        new CrashingLeaderStore(
                                world.store, this::nextCrashPoint, this::countFencedWrite),
                        () -> nextStoreFault(world.random),
                        () -> nextStoreFault(world.lateFaultRandom));
        this.scheduler = new VirtualLoopScheduler(world.time, world.bugs);
    }

    /** What it wrote was refused: another one leads, and it did not know (B1, B3). */
    private void countFencedWrite() {
        world.counts.count("fenced write");
    }

    private Fault nextStoreFault(SeededRandom chance) {
        world.observer().storeCalled(this);
        if (storeUnavailable) {
            return Fault.UNAVAILABLE;
        }
        int drawn = chance.nextInt(10_000);
        if (drawn >= lostCallsPerTenThousand) {
            return Fault.NONE;
        }
        return drawn % 2 == 0 ? Fault.UNAVAILABLE : Fault.ANSWER_LOST;
    }

    /** At its write after so many others, before or after it; negative: no more. */
    public void crashAtWrite(int writes, Duration length) {
        crashAtWrite = writes;
        downtimeAfterCrash = length;
    }

    /** Whether the process dies at this write, and on which side of it. */
    private CrashingLeaderStore.CrashPoint nextCrashPoint() {
        if (crashAtWrite < 0 || crashAtWrite-- > 0) {
            return CrashingLeaderStore.CrashPoint.NONE;
        }
        Duration downtime = downtimeAfterCrash;
        VirtualLoopScheduler dying = scheduler;
        dying.die(); // what runs now is the last; its answer never comes
        world.time.scheduleAfter(Duration.ZERO, () -> crash(downtime));
        return world.random.nextBooleanPercent(50)
                ? CrashingLeaderStore.CrashPoint.BEFORE
                : CrashingLeaderStore.CrashPoint.AFTER;
    }

    public void setStoreUnavailable(boolean unavailable) {
        if (storeUnavailable
                && !unavailable
                && world.time.nanos() - storeUnavailableSince >= DETECTION.toNanos()) {
            noVisibilityUntil = world.time.nanos();
        } else if (!storeUnavailable && unavailable) {
            storeUnavailableSince = world.time.nanos();
        }
        storeUnavailable = unavailable;
    }

    /** Since when it may have seen everything at the most, and so judge silence later (R3). */
    public long visibilitySinceNanos() {
        boolean stood = frozenUntil - stoodSince >= DETECTION.toNanos();
        return Math.max(Math.max(ledSince, noVisibilityUntil), stood ? frozenUntil : 0);
    }

    /** How many of ten thousand calls are lost, on their way or on the way back. */
    public void setLostCallsPerTenThousand(int often) {
        lostCallsPerTenThousand = often;
    }

    /** Does something in this process. */
    void run(Runnable what) {
        scheduler.run(what);
    }

    boolean leads() {
        return term != null;
    }

    /** It was elected: takes over, and tries again while the store is away. */
    void takeLeadership() {
        if (term != null || !world.isElected(this)) {
            return;
        }
        try {
            term =
                    LeaderTerm.start(
                            id,
                            new LeaderDependencies(
                                            store,
                                            this::registeredGateways,
                                            (address, epoch, who, events) -> {
                                                SimulatedLeaderStream link =
                                                        (SimulatedLeaderStream)
                                                                world.gateway(address)
                                                                        .attach(
                                                                                this, epoch, who,
                                                                                events);
                                                links.add(link);
                                                return link;
                                            },
                                            events -> world.evaluator.open(this, events),
                                            world.timings,
                                            SpanExportLoop.Dependencies.disabled())
                                    .withBlockedNodeStore(this::blockedNodes),
                            scheduler,
                            this::stepDown);
            ledSince = world.time.nanos();
            world.time.log(id + " leads");
        } catch (StoreUnavailable e) {
            world.time.scheduleAfter(Duration.ofSeconds(1), () -> run(this::takeLeadership));
        }
    }

    private List<RegisteredGateway> registeredGateways() {
        return world.gateways.stream()
                .map(gateway -> new RegisteredGateway(gateway.id, gateway.address.toString()))
                .toList();
    }

    /** Who was retired has no credential from the moment that it was asked for. */
    private Set<NodeId> blockedNodes(Collection<NodeId> nodes) {
        if (storeUnavailable) {
            throw new StoreUnavailable(
                    "looking for nodes that nobody may speak for",
                    new IllegalStateException("the connection is lost"));
        }
        return nodes.stream().filter(world::isRetirementRequested).collect(Collectors.toSet());
    }

    private void stepDown(LeaderTerm over) {
        if (term == over) {
            term = null;
        }
        over.close();
        world.time.log(id + " steps down");
        world.time.scheduleAfter(Duration.ofSeconds(1), () -> run(this::takeLeadership));
    }

    /** The election service no longer answers: the term ends with its lease. */
    void expireLease() {
        LeaderTerm leading = term;
        if (leading != null) {
            run(() -> stepDown(leading));
        }
    }

    /** A request was written down. */
    void wakeUp(RolloutId rollout) {
        LeaderTerm leading = term;
        if (leading != null) {
            run(() -> leading.wakeRollout(rollout));
        }
    }

    /** What the leader sees; for whoever has to understand a failure. */
    public String describeView() {
        LeaderTerm leading = term;
        if (leading == null) {
            return id + " does not lead";
        }
        FleetView view = leading.fleetView();
        return id
                + " leads, sees all since "
                + view.completeViewSince()
                + ", health since "
                + view.evaluatorConnectedSince()
                + world.nodes.stream()
                        .map(
                                node ->
                                        "\n    "
                                                + node.id
                                                + " "
                                                + view.node(node.id)
                                                + " "
                                                + view.reservation(node.id))
                        .collect(Collectors.joining());
    }

    /** R3: whether every gateway has sent a whole snapshot over its latest connection. */
    public boolean hasSnapshotsOfAllGateways() {
        return world.gateways.stream()
                .allMatch(
                        gateway ->
                                links.stream()
                                        .filter(link -> link.connectsTo(gateway))
                                        .reduce((_, later) -> later)
                                        .filter(SimulatedLeaderStream::hasCompleteSnapshot)
                                        .isPresent());
    }

    public void freeze(Duration length) {
        world.time.log(id + " stands still for " + length.toSeconds() + " s");
        long now = world.time.nanos();
        stoodSince = now < frozenUntil ? stoodSince : now;
        frozenUntil = now + length.toNanos();
        scheduler.freeze(length);
    }

    /** The process dies, and comes back after some time. */
    public void crash(Duration downtime) {
        world.time.log(id + " is killed");
        scheduler.die();
        links.forEach(SimulatedLeaderStream::onLeaderDied);
        links.clear();
        term = null;
        stoodSince = 0; // it was the process that stood still
        frozenUntil = 0;
        scheduler = new VirtualLoopScheduler(world.time, world.bugs);
        scheduler.freeze(downtime);
        run(this::takeLeadership);
    }
}
