package drover.coordinator.engine.leader;

import static java.util.Objects.requireNonNull;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.engine.node.OrphanedAttemptLoop;
import drover.coordinator.engine.rollout.EffectRunner;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.engine.rollout.RolloutLoop;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One leader's loops over a real database, ticked by hand under a clock of their own, with the
 * times of the product. One node wanders; the others take ten minutes each and are well.
 */
final class VirtualTimeTerm implements AutoCloseable {
    private static final String GATEWAY = "g1";
    private static final Duration STEP = Duration.ofSeconds(5); // shorter than sight lasts
    private static final int TICK_EVERY = 6; // steps; a loop looks at least every 30 s
    private static final Duration CREW_WORKS = Duration.ofMinutes(10);
    private static final int MOST_TICKS = 50; // a rollout of a few nodes comes to rest sooner

    final LeaderStore store;
    Instant now;
    private final TestDatabase database;
    private final long epoch;
    private final NodeReservationCache guards;
    private final FleetCache mirror;
    private final OrphanedAttemptLoop fleet;
    private final LoopDependencies parts;
    private final Map<RolloutId, RolloutLoop> loops = new LinkedHashMap<>();
    private final Set<RolloutId> own = new HashSet<>();
    private final Map<NodeId, ScriptedAgent> agents = new LinkedHashMap<>();
    private final Map<NodeId, StatusAcknowledgementToAgent> acknowledged = new HashMap<>();
    private final Map<NodeId, StatusAcknowledgementToAgent> latest = new HashMap<>();
    private boolean seeing = true;
    private long sequence;

    VirtualTimeTerm(TestDatabase database) {
        this.database = database;
        store = new PostgresLeaderStore(database.database());
        now = store.databaseTime();
        epoch = store.takeOver("leader");
        guards = new NodeReservationCache(store);
        mirror = new FleetCache(() -> now, guards);
        parts =
                new LoopDependencies(
                        store, mirror, guards, RolloutTimeouts.STANDARD, () -> now, new Postmen());
        fleet = new OrphanedAttemptLoop(epoch, parts, this::isOwned, this::show);
        mirror.setGateways(List.of(GATEWAY));
        mirror.applySnapshotEnd(GATEWAY, 0);
        mirror.confirmFence();
        mirror.verdicts().setEvaluatorConnected(true);
    }

    /** Node 1 wanders, the others are its crew. */
    ReconnectingAgent fleet(String chain, int nodes, ReconnectingAgent.Left left) {
        ReconnectingAgent wanderer =
                new ReconnectingAgent(SampleRollout.node(chain, 1), left, this);
        agents.put(wanderer.id, wanderer);
        for (int i = 2; i <= nodes; i++) {
            CrewAgent agent = new CrewAgent(SampleRollout.node(chain, i));
            agents.put(agent.id, agent);
        }
        return wanderer;
    }

    RolloutId create(SampleRollout.Plan plan) {
        RolloutId id = StoredRollout.create(database, plan, now);
        own.add(id);
        return id;
    }

    Rollout rollout(RolloutId id) {
        return store.load(id).orElseThrow().rollout();
    }

    NodeUpgrade node(RolloutId id, ScriptedAgent agent) {
        return requireNonNull(rollout(id).nodes().get(agent.id));
    }

    /** Writes a request down, now by the clock of this test, and lets the loops decide it. */
    void submit(RolloutId id, OperatorRequest request) {
        new PostgresRolloutRequestStore(database.database())
                .submitRequest(
                        id,
                        request,
                        SampleRollout.requesterOf(request),
                        UUID.randomUUID().toString(),
                        "");
        database.run(
                "UPDATE operator_request SET created_at = ? WHERE state = 'pending'",
                now.atOffset(ZoneOffset.UTC));
        tick();
    }

    /** Time passes; loops look every 30 s. */
    void pass(Duration time) {
        Instant until = now.plus(time);
        for (int step = 1; now.isBefore(until); step++) {
            now = now.plus(STEP);
            if (seeing) {
                mirror.confirmFence();
            }
            agents.values().forEach(ScriptedAgent::work);
            if (step % TICK_EVERY == 0) {
                tick();
            }
        }
        tick();
    }

    /** Everything that can be decided now is decided. */
    void tick() {
        fleet.tickUnlessStale();
        fleet.withdrawOrphanedAttempts();
        fleet.tickUnlessStale(); // an agent that is told to withdraw answers at once
        store.findActiveOrRequested().stream()
                .filter(own::contains)
                .forEach(id -> loops.computeIfAbsent(id, this::loop));
        List.copyOf(loops.values()).forEach(this::rest);
        fleet.tickUnlessStale();
    }

    private RolloutLoop loop(RolloutId id) {
        return new RolloutLoop(id, epoch, parts, this::show);
    }

    private void rest(RolloutLoop loop) {
        for (int tick = 0; tick < MOST_TICKS; tick++) {
            switch (loop.tick()) {
                case RolloutLoop.TickResult.TickAgain changed -> {}
                case RolloutLoop.TickResult.Waiting waiting -> {
                    return;
                }
                case RolloutLoop.TickResult.Ended over -> {
                    loops.values().remove(loop);
                    mirror.applySnapshotEnd(GATEWAY, mirror.removeInterest(agents.keySet()));
                    return;
                }
                case RolloutLoop.TickResult.SteppedDown steppedDown ->
                        throw new AssertionError("There is no other leader");
            }
        }
        throw new AssertionError("The rollout never comes to rest");
    }

    private boolean isOwned(ReportedStatus report) {
        RolloutId rollout = report.rollout();
        return rollout != null && loops.containsKey(rollout);
    }

    private void show(Collection<NodeId> nodes) {
        long revision = mirror.addInterest(nodes);
        if (revision > 0) {
            nodes.stream().map(agents::get).filter(Objects::nonNull).forEach(this::present);
            mirror.applySnapshotEnd(GATEWAY, revision);
        }
    }

    /** The gateway tells how a node is connected, if it is and anybody cares. */
    void present(ScriptedAgent agent) {
        if (agent.connected && seeing && mirror.nodesOfInterest().contains(agent.id)) {
            mirror.applyConnected(
                    GATEWAY, List.of(new ConnectedNode(agent.id, 1, 1, agent.present())));
        }
    }

    void disconnected(ScriptedAgent agent) {
        mirror.applyDisconnected(GATEWAY, List.of(agent.id));
    }

    /** The gateway cannot be heard any more. */
    void loseFleetVisibility() {
        seeing = false;
        mirror.markGatewayLost(GATEWAY);
    }

    /** The gateway is heard again, with a snapshot of everything. */
    void seeAgain() {
        seeing = true;
        mirror.setGateways(List.of(GATEWAY));
        mirror.confirmFence();
        agents.values().forEach(this::present);
        mirror.applySnapshotEnd(GATEWAY, mirror.interestRevision());
    }

    /** An agent says how its attempt stands; what it verified is healthy. */
    void report(ScriptedAgent agent, long attempt, AttemptOutcome outcome, UpgradePhase phase) {
        NodeAttemptsAndReservation guard = guards.of(agent.id);
        RolloutId rollout = guard.lastAttempt() == attempt ? guard.openFor() : null;
        AttemptStatus report =
                new AttemptStatus(
                        attempt,
                        ++sequence,
                        outcome,
                        phase,
                        "start_node",
                        0,
                        "",
                        "",
                        agent.digest().value(),
                        agent.config().value(),
                        "run-" + attempt);
        latest.put(agent.id, new StatusAcknowledgementToAgent(agent.id, attempt, sequence));
        mirror.applyStatuses(
                List.of(new ReportedStatus(agent.id, rollout, report, new byte[] {1})));
        if (outcome == AttemptOutcome.SUCCEEDED || outcome == AttemptOutcome.RESTORED) {
            mirror.applyVerdicts(Map.of(agent.id, new HealthVerdict.Healthy(attempt)));
        }
    }

    /** Whether the latest status of a node has been acknowledged (invariant C10). */
    boolean isAcknowledged(ScriptedAgent agent) {
        return Objects.equals(latest.get(agent.id), acknowledged.get(agent.id));
    }

    @Override
    public void close() {
        loops.values().forEach(RolloutLoop::stop);
    }

    /** A node that does what it is told, takes ten minutes, and is well. */
    private final class CrewAgent extends ScriptedAgent {
        private @Nullable Instant started;
        private long attempt;

        CrewAgent(NodeId id) {
            super(id, VirtualTimeTerm.this);
        }

        @Override
        void upgrade(long requested) {
            if (requested > attempt) {
                attempt = requested;
                started = now;
                start(requested, UpgradePhase.PREPARING);
            }
        }

        @Override
        void work() {
            if (started != null && !now.isBefore(started.plus(CREW_WORKS))) {
                started = null;
                finish(attempt);
            }
        }
    }

    /** Hands over at once whatever the loops send. */
    private final class Postmen implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {
            for (MessageToNode delivery : deliveries) {
                requireNonNull(agents.get(delivery.node())).receive(delivery);
            }
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {
            acknowledgements.forEach(ack -> acknowledged.put(ack.node(), ack));
        }

        @Override
        public void watch(RolloutId of, Collection<Watch> watches) {}

        @Override
        public void unwatch(Map<NodeId, Long> attempts) {}

        @Override
        public void switchEvaluator(RolloutId of, EvaluatorSelector.NodesWithoutData withoutData) {}

        @Override
        public long evaluatorGeneration(RolloutId of) {
            return 1;
        }
    }
}
