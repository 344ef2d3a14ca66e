package drover.standalone.simulation;

import drover.coordinator.engine.RolloutCreation;
import drover.coordinator.peers.DirectoryLink;
import drover.coordinator.peers.DirectoryLink.DirectoryNode;
import drover.coordinator.plan.CreationRequest;
import drover.coordinator.plan.NodeRequest;
import drover.coordinator.plan.OperatorRequest;
import drover.coordinator.plan.Timings;
import drover.coordinator.store.InMemoryRolloutStore;
import drover.coordinator.store.RequestStore.Placed;
import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.Program;
import drover.kit.grpc.Address;
import drover.kit.grpc.Refused;
import drover.model.BinaryName;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.RolloutId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Everything there is in one story: nodes, gateways, coordinators, the evaluator, the store. */
public final class World {
    /** Versions there are. */
    static final int RELEASES = 4;

    static final ChainProfileId CHAIN = new ChainProfileId("demo");

    final VirtualTime time = new VirtualTime();
    final Timings timings;
    final Chance chance;
    final Safety safety;
    final Tally tally = new Tally();
    final List<RuntimeException> bugs = new ArrayList<>();
    final SimulatedNetwork network;
    final InMemoryRolloutStore store;
    final List<SimulatedGateway> gateways = new ArrayList<>();
    final List<SimulatedCoordinator> coordinators = new ArrayList<>();
    final List<SimulatedNode> nodes = new ArrayList<>();
    final SimulatedEvaluator evaluator;
    private final RolloutCreation creation;
    private int elected;
    private long streams;
    private long keys;

    /** How much there is of everything. */
    record Size(int nodes, int gateways, int coordinators) {}

    World(long seed, Size size, Timings timings) {
        this.timings = timings;
        this.chance = new Chance(seed);
        this.network = new SimulatedNetwork(time, chance);
        this.store = new InMemoryRolloutStore(time::now);
        this.safety = new Safety(this);
        store.watch(safety);
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
        this.creation = new RolloutCreation(new Releases(), directory(), store, time::now, chance);
        nodes.forEach(SimulatedNode::start);
        coordinators.getFirst().lead();
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

    SimulatedNode node(NodeId id) {
        return nodes.stream().filter(node -> node.id.equals(id)).findFirst().orElseThrow();
    }

    NodeIdentity identity(NodeId id) {
        return new NodeIdentity(id, CHAIN, new NodeType("validator"), Map.of());
    }

    boolean isElected(SimulatedCoordinator coordinator) {
        return coordinators.get(elected) == coordinator;
    }

    /** Another coordinator is elected; the one before is not told. */
    void elect(int index) {
        elected = index % coordinators.size();
        SimulatedCoordinator next = coordinators.get(elected);
        next.run(next::lead);
    }

    /** Creates a rollout as the operators' door does; null when it is refused. */
    @Nullable RolloutId create(CreationRequest request) {
        try {
            RolloutId id = creation.create(request, "alice", "", "");
            tally.count("applied create");
            time.tell("alice creates a rollout to " + request.targetVersion());
            coordinators.forEach(coordinator -> coordinator.nudge(id));
            return id;
        } catch (Refused e) {
            tally.count("refused create");
            time.tell("alice is refused a rollout: " + e.getMessage());
            return null;
        }
    }

    /** Writes a request down as the operators' door does, and wakes the leader. */
    UUID ask(RolloutId rollout, OperatorRequest request) {
        time.tell("alice asks for " + request);
        Placed placed = store.place(rollout, request, "alice", "key-" + ++keys, "because");
        UUID id = ((Placed.Written) placed).id();
        safety.asked(id, request);
        coordinators.forEach(coordinator -> coordinator.nudge(rollout));
        return id;
    }

    /** Writes a request about a node down as the operators' door does; the fleet loop finds it. */
    void askNode(NodeId node, NodeRequest request) {
        time.tell("alice asks to " + request.name().toLowerCase(Locale.ROOT) + " " + node);
        store.nodeRequestStore().place(node, request, "alice", "key-" + ++keys, "looked at it");
        tally.count("asked " + request.name().toLowerCase(Locale.ROOT));
    }

    private DirectoryLink directory() {
        return (chain, type) ->
                nodes.stream()
                        .map(node -> directoryNode(node.id))
                        .flatMap(Optional::stream)
                        .toList();
    }

    /** A node as a gateway last heard of it. */
    private Optional<DirectoryNode> directoryNode(NodeId id) {
        return gateways.stream()
                .map(gateway -> gateway.table().view(id))
                .flatMap(view -> view.inventory().stream())
                .findFirst()
                .map(inventory -> directoryNode(id, inventory));
    }

    private static DirectoryNode directoryNode(NodeId id, Inventory inventory) {
        Map<BinaryName, DirectoryLink.Program> programs = new HashMap<>();
        for (Program program : inventory.programs()) {
            Map<NodePath, Digest> files = new HashMap<>();
            program.configFiles()
                    .forEach((path, digest) -> files.put(new NodePath(path), new Digest(digest)));
            programs.put(
                    new BinaryName(program.name()),
                    new DirectoryLink.Program(
                            program.version(),
                            program.runningDigest(),
                            program.configDigest(),
                            program.artifactUrl(),
                            files));
        }
        return new DirectoryNode(
                id, "validator", Map.of(), inventory.runtime(), programs, "", Set.of("restore/1"));
    }
}
