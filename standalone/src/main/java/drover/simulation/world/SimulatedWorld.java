package drover.simulation.world;

import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.group.RolloutGroupCreator;
import drover.coordinator.peers.NodeDirectoryLink;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.UnvalidatedGroupCreationRequest;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.coordinator.store.request.RolloutRequestStore.SubmitResult;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.NodeSnapshot;
import drover.gateway.session.ReportedProgram;
import drover.kit.grpc.Address;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Everything there is in one story: nodes, gateways, coordinators, the evaluator, the store. */
public final class SimulatedWorld {
    /** Versions there are. */
    public static final int RELEASES = 4;

    /** Who creates rollouts and asks for most of what follows. */
    public static final String CREATOR = "alice";

    /** Who lets go on what its creator may not. */
    public static final String SECOND = "bob";

    static final ChainProfileId CHAIN = new ChainProfileId("demo");

    private static final int NONE = -1;

    public final VirtualTime time = new VirtualTime();
    public final RolloutTimeouts timings;
    public final List<SimulatedProgramDefinition> products;
    public final SeededRandom random;
    public final SeededRandom
            lateFaultRandom; // of what came later, so that earlier seeds tell what they told
    public final SeededRandom evaluatorOutageRandom; // the same, of what came later still
    public final SeededRandom compensationFaultRandom; // and of this
    public final SeededRandom restoreFaultRandom; // separate, so that other stories stay the same
    public final SeededRandom inodeFaultRandom; // the same
    public final SeededRandom healthFaultRandom; // the same
    private final SeededRandom conductRandom;
    public final OccurrenceCounter counts = new OccurrenceCounter();
    public final List<RuntimeException> bugs = new ArrayList<>();
    public final SimulatedNetwork network;
    public final InMemoryCoordinatorStore store;
    public final List<SimulatedGateway> gateways = new ArrayList<>();
    public final List<SimulatedCoordinator> coordinators = new ArrayList<>();
    public final List<SimulatedNode> nodes = new ArrayList<>();
    public final SimulatedEvaluator evaluator;
    private final Map<NodeId, SimulatedNode> byId = new HashMap<>();
    private final Set<NodeId> retiring = new HashSet<>();
    private final RolloutCreator creation;
    private final RolloutGroupCreator groupCreation;
    private @Nullable WorldObserver observer; // null before the start
    private int elected; // index of a coordinator, or NONE
    private long streams;
    private long keys;

    /** How much there is of everything. */
    public record Size(
            int nodes, int gateways, int coordinators, List<SimulatedProgramDefinition> products) {
        public Size {
            products = List.copyOf(products);
        }
    }

    /** What somebody asked of a rollout. */
    public record OperatorRequestRecord(
            RolloutId rollout, UUID id, String actor, OperatorRequest request) {}

    public SimulatedWorld(long seed, Size size, RolloutTimeouts timings) {
        this.timings = timings;
        this.products = size.products();
        this.random = new SeededRandom(seed);
        this.lateFaultRandom = new SeededRandom(Long.rotateLeft(~seed, 29));
        this.evaluatorOutageRandom = new SeededRandom(Long.rotateLeft(~seed, 41));
        this.compensationFaultRandom = new SeededRandom(Long.rotateLeft(~seed, 11));
        this.restoreFaultRandom = new SeededRandom(Long.rotateLeft(~seed, 53));
        this.inodeFaultRandom = new SeededRandom(Long.rotateLeft(~seed, 17));
        this.healthFaultRandom = new SeededRandom(Long.rotateLeft(~seed, 7));
        this.conductRandom = new SeededRandom(Long.rotateLeft(~seed, 5));
        this.network = new SimulatedNetwork(time, random);
        this.store = new InMemoryCoordinatorStore(time::now);
        for (int i = 1; i <= size.gateways(); i++) {
            gateways.add(new SimulatedGateway("gateway-" + i, this));
        }
        this.evaluator = new SimulatedEvaluator(this);
        for (int i = 1; i <= size.coordinators(); i++) {
            coordinators.add(new SimulatedCoordinator("coordinator-" + i, this));
        }
        for (int i = 1; i <= size.nodes(); i++) {
            nodes.add(new SimulatedNode(new NodeId("node-" + i), this));
        }
        nodes.forEach(node -> byId.put(node.id, node));
        this.creation =
                new RolloutCreator(
                        new SimulatedManifestService(), directory(), store, time::now, random);
        this.groupCreation = new RolloutGroupCreator(creation, store.groups(), time::now);
    }

    /** Starts the agents and elects the first coordinator; the observer receives what happens. */
    public void start(WorldObserver observer) {
        this.observer = observer;
        store.addListener(observer);
        nodes.forEach(SimulatedNode::start);
        coordinators.getFirst().takeLeadership();
    }

    WorldObserver observer() {
        return Objects.requireNonNull(observer, "The world has not been started");
    }

    long nextStream() {
        return ++streams;
    }

    SimulatedGateway gateway(String address) {
        return gateway(Address.parse(address));
    }

    SimulatedGateway gateway(Address address) {
        return gateways.stream()
                .filter(gateway -> gateway.address.equals(address))
                .findFirst()
                .orElseThrow();
    }

    public SimulatedNode node(NodeId id) {
        return Objects.requireNonNull(byId.get(id), id::value);
    }

    /** The version of its rollout's program that a node has; 0 for a mixture. */
    public int installedVersion(Rollout rollout, NodeId id) {
        return node(id).machine
                .installedVersion(SimulatedProgramDefinition.named(rollout.spec().binary()));
    }

    NodeIdentity identity(NodeId id) {
        return new NodeIdentity(id, CHAIN, new NodeType("validator"), Map.of());
    }

    boolean isElected(SimulatedCoordinator coordinator) {
        return elected >= 0 && coordinators.get(elected) == coordinator;
    }

    /** The election service is unavailable: each lease expires, and no coordinator gets one. */
    public void electNone() {
        time.log("no coordinator can be elected");
        elected = NONE;
        coordinators.forEach(SimulatedCoordinator::expireLease);
    }

    /** Another coordinator is elected; the one before is not told. */
    public void elect(int index) {
        elected = index % coordinators.size();
        SimulatedCoordinator next = coordinators.get(elected);
        if (coordinators.stream().anyMatch(other -> other != next && other.leads())) {
            counts.count("fault two leaders at once");
        }
        next.run(next::takeLeadership);
    }

    /** Creates a rollout as the operators' door does; null when it is refused. */
    public @Nullable RolloutId tryCreateRollout(UnvalidatedCreationRequest request) {
        try {
            RolloutId id = creation.create(request, CREATOR, "", "");
            counts.count("applied create");
            time.log("alice creates a rollout to " + request.targetVersion());
            coordinators.forEach(coordinator -> coordinator.wakeUp(id));
            return id;
        } catch (Refused e) {
            counts.count("refused create");
            counts.count("refused create " + e.code());
            time.log("alice is refused a rollout: " + e.getMessage());
            return null;
        }
    }

    /** Drawn for each rollout and each component of a group. */
    CreationRequestFactory.RolloutConduct randomConduct() {
        CreationRequestFactory.RolloutConduct drawn =
                CreationRequestFactory.randomConduct(
                        conductRandom, nodes.stream().map(node -> node.id).toList());
        counts.count("conduct rollback health " + drawn.health());
        if (drawn.unhealthy() > 0) {
            counts.count("conduct unhealthy budget");
        }
        if (!drawn.order().isDefault()) {
            counts.count("conduct order " + drawn.order().toText());
        }
        return drawn;
    }

    /** Writes a request down as the operators' door does, and wakes the leader. */
    public UUID submitRolloutRequest(RolloutId rollout, OperatorRequest request, String actor) {
        time.log(actor + " asks for " + SimulatedOperator.describe(request));
        SubmitResult placed =
                store.submitRequest(rollout, request, actor, "key-" + ++keys, "because");
        UUID id = ((SubmitResult.WrittenNowOrEarlier) placed).id();
        observer().rolloutRequested(new OperatorRequestRecord(rollout, id, actor, request));
        coordinators.forEach(coordinator -> coordinator.wakeUp(rollout));
        return id;
    }

    /** Creates a group as the operators' door does; null when it is refused. */
    public @Nullable GroupId tryCreateGroup(UnvalidatedGroupCreationRequest requested) {
        String what = requested.policy() + " group of " + requested.components().size();
        try {
            GroupId id = groupCreation.create(requested, CREATOR, "", "");
            counts.count("applied group create");
            time.log("alice creates a " + what);
            return id;
        } catch (Refused e) {
            counts.count("refused group create");
            time.log("alice is refused a " + what + ": " + e.getMessage());
            return null;
        }
    }

    /** Writes a request to a group down as the operators' door does, and wakes the leader. */
    public void submitGroupRequest(GroupId group, GroupRequest request, String actor) {
        time.log(actor + " asks of the group for " + request);
        SubmitResult placed =
                store.groups().submitRequest(group, request, actor, "key-" + ++keys, "because");
        observer().groupRequested(((SubmitResult.WrittenNowOrEarlier) placed).id(), request, actor);
        RolloutId none = new RolloutId(group.value()); // as PostgreSQL notifies of it
        coordinators.forEach(coordinator -> coordinator.wakeUp(none));
    }

    /** Writes a request about a node down as the operators' door does; the fleet loop finds it. */
    public void submitNodeRequest(NodeId node, OperatorNodeRequest request) {
        time.log("alice asks to " + request.name().toLowerCase(Locale.ROOT) + " " + node);
        SubmitResult placed =
                store.nodeRequestStore()
                        .submitRequest(node, request, "alice", "key-" + ++keys, "looked at it");
        if (request == OperatorNodeRequest.RETIRE) {
            retiring.add(node);
            observer().retirementRequested(node, ((SubmitResult.WrittenNowOrEarlier) placed).id());
        }
        counts.count("asked " + request.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Takes a node out of service as the operators' door does: not before every gateway has noticed
     * that its agent is gone.
     */
    public void retireOnceOffline(SimulatedNode node) {
        boolean connected =
                gateways.stream()
                        .anyMatch(
                                gateway ->
                                        gateway.table().snapshot(node.id).executor().isPresent());
        if (connected) {
            time.scheduleAfter(Duration.ofSeconds(5), () -> retireOnceOffline(node));
        } else {
            submitNodeRequest(node.id, OperatorNodeRequest.RETIRE);
        }
    }

    /** Whether an operator retires the node, which ends its credential at once. */
    public boolean isRetirementRequested(NodeId node) {
        return retiring.contains(node);
    }

    private NodeDirectoryLink directory() {
        return (chain, type) ->
                nodes.stream()
                        .filter(node -> !isRetirementRequested(node.id))
                        .map(node -> directoryNode(node.id))
                        .flatMap(Optional::stream)
                        .toList();
    }

    /**
     * A node as the first gateway that had it knows it, which is not always the one that has it
     * now: as if the other had lost its way to the database.
     */
    private Optional<DirectoryNode> directoryNode(NodeId id) {
        return gateways.stream()
                .flatMap(gateway -> directoryNode(id, gateway).stream())
                .findFirst();
    }

    private Optional<DirectoryNode> directoryNode(NodeId id, SimulatedGateway gateway) {
        NodeSnapshot view = gateway.table().snapshot(id);
        Instant receivedAt = time.now().minusNanos(time.nanos() - view.lastReceivedNanos());
        return view.inventory()
                .map(inventory -> directoryNode(id, inventory, receivedAt, gateway.id));
    }

    private static DirectoryNode directoryNode(
            NodeId id, NodeInventory inventory, Instant receivedAt, String gateway) {
        Map<BinaryName, NodeDirectoryLink.Program> programs = new HashMap<>();
        for (ReportedProgram program : inventory.programs()) {
            Map<NodePath, Digest> files = new HashMap<>();
            program.configFiles()
                    .forEach((path, digest) -> files.put(new NodePath(path), new Digest(digest)));
            programs.put(
                    new BinaryName(program.name()),
                    new NodeDirectoryLink.Program(
                            program.version(),
                            program.runningDigest(),
                            program.configDigest(),
                            program.artifactUrl(),
                            files));
        }
        return new DirectoryNode(
                id,
                "validator",
                Map.of(),
                inventory.runtime(),
                programs,
                "",
                Set.of("restore/1"),
                receivedAt,
                gateway);
    }
}
