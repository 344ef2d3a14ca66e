package drover.coordinator.engine.rollout;

import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.CommandBody;
import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.peers.InMemoryManifestService;
import drover.coordinator.peers.InMemoryNodeDirectory;
import drover.coordinator.peers.ManifestServiceLink.ProbeIntervalAndStopTimeout;
import drover.coordinator.peers.ManifestServiceLink.Profile;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.peers.NodeDirectoryLink.Program;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Nodes whose agents upgrade themselves, and the leader's own loops over a store in memory: what is
 * created, decided, sent and heard is what the product does; only processes and wires are left out.
 */
final class AgentFleet {
    static final Digest OLD = Digest.of("agent 1.0.0");
    static final Digest NEW = Digest.of("agent 1.1.0");

    private static final String GATEWAY = "g1";
    private static final String CONFIG = Digest.of("how an agent is launched").value();
    private static final int MOST_TICKS = 50;

    final List<MessageToNode> sent = new ArrayList<>();
    final List<StatusAcknowledgementToAgent> acknowledged = new ArrayList<>();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> now);
    private final InMemoryNodeDirectory directory = new InMemoryNodeDirectory();
    private final InMemoryManifestService manifests = new InMemoryManifestService();
    private final Map<NodeId, Long> floors = new HashMap<>();
    private final Map<RolloutId, RolloutLoop> loops = new LinkedHashMap<>();
    private FleetCache mirror;
    private NodeReservationCache guards;
    private long epoch;
    private long sequence;

    AgentFleet() {
        manifests.put(
                ProgramKind.AGENTS,
                new Profile(
                        "process",
                        Map.of(
                                BinaryName.AGENT.value(),
                                new ProbeIntervalAndStopTimeout(Duration.ZERO)),
                        Duration.ofSeconds(5),
                        3));
        lead();
    }

    /** Another leader takes over: it knows what is in the store, and nothing else. */
    void lead() {
        epoch = store.takeOver("leader");
        guards = new NodeReservationCache(store);
        mirror = new FleetCache(() -> now, guards);
        loops.clear();
        mirror.setGateways(List.of(GATEWAY));
        mirror.applySnapshotEnd(GATEWAY, 0);
        mirror.confirmFence();
        mirror.verdicts().setEvaluatorConnected(true);
        floors.keySet().forEach(node -> connect(node, OLD, "old"));
    }

    void add(String chain, String type, NodeId node, Map<BinaryName, Program> programs) {
        directory.add(
                chain,
                List.of(
                        new DirectoryNode(
                                node, type, Map.of(), "systemd", programs, "", Set.of(), now,
                                GATEWAY)));
        floors.put(node, 0L);
        connect(node, OLD, "old");
    }

    /** A node whose agent can upgrade itself. */
    void agent(String chain, NodeId node) {
        add(
                chain,
                "full",
                node,
                Map.of(BinaryName.AGENT, new Program("1.0.0", OLD.value(), CONFIG, "", Map.of())));
    }

    private void connect(NodeId node, Digest agent, String session) {
        long floor = floors.getOrDefault(node, 0L);
        mirror.applyConnected(
                GATEWAY,
                List.of(
                        new ConnectedNode(
                                node,
                                1,
                                1,
                                new NodeView.Present(
                                        session,
                                        "systemd",
                                        Set.of(),
                                        floor,
                                        Map.of(
                                                BinaryName.AGENT,
                                                new ProgramView(
                                                        new Version("any"),
                                                        agent.value(),
                                                        CONFIG,
                                                        true))))));
    }

    UnvalidatedCreationRequest request(String version) {
        return new UnvalidatedCreationRequest(
                ProgramKind.AGENTS.value(),
                "",
                "",
                BinaryName.AGENT.value(),
                List.of("1.0.0"),
                version,
                "https://example.test/drover-agent.jar",
                NEW.value(),
                StrategyName.ROLLING,
                1,
                0,
                0,
                0,
                0,
                null,
                List.of(),
                null,
                "",
                false,
                "",
                0,
                false,
                false,
                Set.of(),
                Set.of(),
                Map.of());
    }

    RolloutId create(UnvalidatedCreationRequest request) {
        return new RolloutCreator(manifests, directory, store, () -> now)
                .create(request, "alice", "", "");
    }

    void submit(RolloutId id, OperatorRequest request) {
        store.submitRequest(
                id,
                request,
                SampleRollout.requesterOf(request),
                UUID.randomUUID().toString(),
                "because");
        tick();
    }

    Rollout rollout(RolloutId id) {
        return store.load(id).orElseThrow().rollout();
    }

    /** Everything that can be decided now is decided. */
    void tick() {
        mirror.confirmFence();
        store.findActiveOrRequested().forEach(id -> loops.computeIfAbsent(id, this::loop));
        List.copyOf(loops.values()).forEach(AgentFleet::rest);
    }

    void pass(Duration time) {
        Instant until = now.plus(time);
        while (now.isBefore(until)) {
            now = now.plusSeconds(5); // sight that is not confirmed for 10 s is lost
            mirror.confirmFence();
        }
        tick();
    }

    private RolloutLoop loop(RolloutId id) {
        LoopDependencies parts =
                new LoopDependencies(
                        store, mirror, guards, RolloutTimeouts.STANDARD, () -> now, new Wires());
        return new RolloutLoop(id, epoch, parts, this::show);
    }

    private void show(Collection<NodeId> nodes) {
        long revision = mirror.addInterest(nodes);
        if (revision > 0) {
            mirror.applySnapshotEnd(GATEWAY, revision);
        }
    }

    private static void rest(RolloutLoop loop) {
        for (int tick = 0; tick < MOST_TICKS; tick++) {
            if (!(loop.tick() instanceof RolloutLoop.TickResult.TickAgain)) {
                return;
            }
        }
        throw new AssertionError("The rollout never comes to rest");
    }

    /** The command that the node's agent was sent last. */
    CommandBody command(NodeId node) {
        return sent.reversed().stream()
                .filter(MessageToNode.Command.class::isInstance)
                .map(MessageToNode.Command.class::cast)
                .filter(command -> command.node().equals(node))
                .findFirst()
                .map(AgentFleet::body)
                .orElseThrow(() -> new AssertionError("Node " + node + " was sent nothing"));
    }

    private static CommandBody body(MessageToNode.Command command) {
        try {
            return CommandBody.parseFrom(command.body());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("An unreadable body was sent", e);
        }
    }

    Optional<MessageToNode.StopOldAgent> stop(NodeId node) {
        return sent.stream()
                .filter(MessageToNode.StopOldAgent.class::isInstance)
                .map(MessageToNode.StopOldAgent.class::cast)
                .filter(stop -> stop.node().equals(node))
                .findFirst();
    }

    /** The old agent has started its successor. */
    void ready(NodeId node, Digest running) {
        send(node, AttemptOutcome.IN_PROGRESS, running, true, "");
        tick();
    }

    /** The successor is heard over a session of its own. */
    void standby(NodeId node, String version, Digest digest) {
        mirror.applyStandbys(
                GATEWAY,
                Map.of(node, Optional.of(new StandbyAgent(version, digest.value(), 2, true))));
        tick();
    }

    /** The old agent has gone, and its successor has the lock. */
    void takeOver(NodeId node, Digest agent, AttemptOutcome outcome) {
        mirror.applyDisconnected(GATEWAY, List.of(node));
        mirror.applyStandbys(GATEWAY, Map.of(node, Optional.empty()));
        tick();
        floors.put(node, command(node).getAttempt());
        connect(node, agent, "new");
        send(node, outcome, agent, false, "");
        mirror.applyVerdicts(Map.of(node, new HealthVerdict.Healthy(command(node).getAttempt())));
        tick();
    }

    /** The whole hand-over. */
    void handsOver(NodeId node, Digest from, Digest to, String version, AttemptOutcome outcome) {
        ready(node, from);
        standby(node, version, to);
        takeOver(node, to, outcome);
    }

    void fails(NodeId node, String reason) {
        floors.put(node, command(node).getAttempt());
        mirror.applyStandbys(GATEWAY, Map.of(node, Optional.empty()));
        send(node, AttemptOutcome.FAILED, OLD, false, reason);
        tick();
    }

    private void send(
            NodeId node, AttemptOutcome outcome, Digest running, boolean ready, String reason) {
        CommandBody body = command(node);
        AttemptStatus report =
                new AttemptStatus(
                        body.getAttempt(),
                        ++sequence,
                        outcome,
                        null,
                        "handover",
                        0,
                        reason,
                        reason,
                        running.value(),
                        CONFIG,
                        "run-" + running,
                        ready);
        mirror.applyStatuses(
                List.of(
                        new ReportedStatus(
                                node, new RolloutId(body.getRolloutId()), report, new byte[] {1})));
    }

    /** Keeps what the loops send. */
    private final class Wires implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {
            sent.addAll(deliveries);
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {
            acknowledged.addAll(acknowledgements);
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
