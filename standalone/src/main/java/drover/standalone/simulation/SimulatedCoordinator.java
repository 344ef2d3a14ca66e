package drover.standalone.simulation;

import drover.coordinator.engine.LeaderTerm;
import drover.coordinator.engine.Neighbours;
import drover.coordinator.engine.SpanLoop;
import drover.coordinator.plan.FleetView;
import drover.coordinator.store.FaultyLeaderStore;
import drover.coordinator.store.FaultyLeaderStore.Fault;
import drover.coordinator.store.GatewayRegistry.Registered;
import drover.coordinator.store.StoreUnavailable;
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
final class SimulatedCoordinator {
    /** Not a second look later than a leader must notice that it sees nothing. */
    private static final Duration NOTICED = Duration.ofSeconds(12);

    final String id;
    private final World world;
    private final FaultyLeaderStore store;
    private final List<LeaderLink> links = new ArrayList<>();
    private VirtualPacer pacer;
    private @Nullable LeaderTerm term;
    private int lostAnswers;
    private boolean storeAway;
    private int crashAtWrite = -1;
    private Duration awayAfterCrash = Duration.ZERO;
    private long awaySince;
    private long blindUntil;
    private long ledSince;
    private long stoodSince;
    private long standsUntil;

    SimulatedCoordinator(String id, World world) {
        this.id = id;
        this.world = world;
        this.store =
                new FaultyLeaderStore(
                        new DyingWriter(world.store, this::write, this::fenced),
                        () -> fault(world.chance),
                        () -> fault(world.luck));
        this.pacer = new VirtualPacer(world.time, world.bugs);
    }

    /** What it wrote was refused: another one leads, and it did not know (B1, B3). */
    private void fenced() {
        world.tally.count("fenced write");
    }

    private Fault fault(Chance chance) {
        world.observer().calls(this);
        if (storeAway) {
            return Fault.AWAY;
        }
        int drawn = chance.nextInt(10_000);
        if (drawn >= lostAnswers) {
            return Fault.NONE;
        }
        return drawn % 2 == 0 ? Fault.AWAY : Fault.ANSWER_LOST;
    }

    /** At its write after so many others, before or after it; negative: no more. */
    void crashAtWrite(int writes, Duration length) {
        crashAtWrite = writes;
        awayAfterCrash = length;
    }

    /** Whether the process dies at this write, and on which side of it. */
    private DyingWriter.Death write() {
        if (crashAtWrite < 0 || crashAtWrite-- > 0) {
            return DyingWriter.Death.NONE;
        }
        Duration away = awayAfterCrash;
        VirtualPacer dying = pacer;
        dying.die(); // what runs now is the last; its answer never comes
        world.time.after(Duration.ZERO, () -> crash(away));
        return world.chance.percent(50) ? DyingWriter.Death.BEFORE : DyingWriter.Death.AFTER;
    }

    void storeAway(boolean away) {
        if (storeAway && !away && world.time.nanos() - awaySince >= NOTICED.toNanos()) {
            blindUntil = world.time.nanos();
        } else if (!storeAway && away) {
            awaySince = world.time.nanos();
        }
        storeAway = away;
    }

    /** Since when it may have seen everything at the most, and so judge silence later (R3). */
    long sightSinceNanos() {
        boolean stood = standsUntil - stoodSince >= NOTICED.toNanos();
        return Math.max(Math.max(ledSince, blindUntil), stood ? standsUntil : 0);
    }

    /** How many of ten thousand calls are lost, on their way or on the way back. */
    void lostAnswers(int often) {
        lostAnswers = often;
    }

    /** Does something in this process. */
    void run(Runnable what) {
        pacer.run(what);
    }

    boolean leads() {
        return term != null;
    }

    /** It was elected: takes over, and tries again while the store is away. */
    void lead() {
        if (term != null || !world.isElected(this)) {
            return;
        }
        try {
            term =
                    LeaderTerm.begin(
                            id,
                            new Neighbours(
                                            store,
                                            this::registered,
                                            (address, epoch, who, events) -> {
                                                LeaderLink link =
                                                        (LeaderLink)
                                                                world.gateway(address)
                                                                        .attach(
                                                                                this, epoch, who,
                                                                                events);
                                                links.add(link);
                                                return link;
                                            },
                                            events -> world.evaluator.open(this, events),
                                            world.timings,
                                            SpanLoop.Ends.none())
                                    .barring(this::barred),
                            pacer,
                            this::lost);
            ledSince = world.time.nanos();
            world.time.tell(id + " leads");
        } catch (StoreUnavailable e) {
            world.time.after(Duration.ofSeconds(1), () -> run(this::lead));
        }
    }

    private List<Registered> registered() {
        return world.gateways.stream()
                .map(gateway -> new Registered(gateway.id, gateway.address.toString()))
                .toList();
    }

    /** Who was retired has no credential from the moment that it was asked for. */
    private Set<NodeId> barred(Collection<NodeId> nodes) {
        if (storeAway) {
            throw new StoreUnavailable(
                    "looking for nodes that nobody may speak for",
                    new IllegalStateException("the connection is lost"));
        }
        return nodes.stream().filter(world::isRetirementRequested).collect(Collectors.toSet());
    }

    private void lost(LeaderTerm over) {
        if (term == over) {
            term = null;
        }
        over.close();
        world.time.tell(id + " steps down");
        world.time.after(Duration.ofSeconds(1), () -> run(this::lead));
    }

    /** The election service no longer answers: the term ends with its lease. */
    void leaseExpires() {
        LeaderTerm leading = term;
        if (leading != null) {
            run(() -> lost(leading));
        }
    }

    /** A request was written down. */
    void nudge(RolloutId rollout) {
        LeaderTerm leading = term;
        if (leading != null) {
            run(() -> leading.nudge(rollout));
        }
    }

    /** What the leader sees; for whoever has to understand a failure. */
    String sees() {
        LeaderTerm leading = term;
        if (leading == null) {
            return id + " does not lead";
        }
        FleetView view = leading.view();
        return id
                + " leads, sees all since "
                + view.completeSince()
                + ", health since "
                + view.healthSince()
                + world.nodes.stream()
                        .map(
                                node ->
                                        "\n    "
                                                + node.id
                                                + " "
                                                + view.node(node.id)
                                                + " "
                                                + view.guard(node.id))
                        .collect(Collectors.joining());
    }

    /** R3: whether every gateway has sent a whole snapshot over its latest connection. */
    boolean seesAllGateways() {
        return world.gateways.stream()
                .allMatch(
                        gateway ->
                                links.stream()
                                        .filter(link -> link.leadsTo(gateway))
                                        .reduce((_, later) -> later)
                                        .filter(LeaderLink::hasAnswered)
                                        .isPresent());
    }

    void standStill(Duration length) {
        world.time.tell(id + " stands still for " + length.toSeconds() + " s");
        long now = world.time.nanos();
        stoodSince = now < standsUntil ? stoodSince : now;
        standsUntil = now + length.toNanos();
        pacer.standStill(length);
    }

    /** The process dies, and comes back after some time. */
    void crash(Duration away) {
        world.time.tell(id + " is killed");
        pacer.die();
        links.forEach(LeaderLink::leaderDied);
        links.clear();
        term = null;
        stoodSince = 0; // it was the process that stood still
        standsUntil = 0;
        pacer = new VirtualPacer(world.time, world.bugs);
        pacer.standStill(away);
        run(this::lead);
    }
}
