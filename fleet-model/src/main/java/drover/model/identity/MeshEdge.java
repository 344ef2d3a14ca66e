package drover.model.identity;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which service may call which contract of which other one: every way there is among services, and
 * what is not here is refused (invariant H5). Calls have no circle; whoever is captured can do what
 * its own edges allow and no more.
 */
public enum MeshEdge {
    /** What may be installed, and each node's rendered files. */
    CREATION(
            MeshService.COORDINATOR,
            MeshService.MANIFEST,
            "drover.manifest.v1.ManifestCatalogService"),
    /** Operators' questions about manifests, handed on. */
    MANIFESTS(MeshService.COORDINATOR, MeshService.MANIFEST, "drover.manifest.v1.ManifestService"),
    /** Who the nodes are. */
    DIRECTORY(MeshService.COORDINATOR, MeshService.GATEWAY, "drover.node.v1.NodeDirectoryService"),
    /** What nodes are told, and what they report. */
    CONTROL(MeshService.COORDINATOR, MeshService.GATEWAY, "drover.node.v1.GatewayControlService"),
    /** Operators' wishes for join tokens, handed on. */
    JOIN_TOKENS(
            MeshService.COORDINATOR,
            MeshService.GATEWAY,
            "drover.node.v1.JoinTokenDirectoryService"),
    /** Whether nodes are well. */
    JUDGING(MeshService.COORDINATOR, MeshService.HEALTH, "drover.health.v1.HealthJudgeService"),
    /** Heartbeats of watched nodes. */
    HEARTBEATS(MeshService.HEALTH, MeshService.GATEWAY, "drover.node.v1.HeartbeatFeedService"),
    /** What a new node has from the beginning: the rendered files. */
    FIRST_FILES(
            MeshService.PREPARE, MeshService.MANIFEST, "drover.manifest.v1.ManifestCatalogService"),
    /** What a new node has from the beginning: the released programs. */
    FIRST_PROGRAMS(MeshService.PREPARE, MeshService.MANIFEST, "drover.manifest.v1.ManifestService"),
    /** New nodes that are made known. */
    NEW_NODES(MeshService.PREPARE, MeshService.GATEWAY, "drover.node.v1.NodeDirectoryService");

    private final MeshService from;
    private final MeshService to;
    private final String contract;

    MeshEdge(MeshService from, MeshService to, String contract) {
        this.from = from;
        this.to = to;
        this.contract = contract;
    }

    /** Who calls. */
    public MeshService from() {
        return from;
    }

    /** Who is called. */
    public MeshService to() {
        return to;
    }

    /** The full name of the gRPC service. */
    public String contract() {
        return contract;
    }

    /** Who has any business at the door of this service; the handshake admits nobody else. */
    public static Set<MeshService> callersOf(MeshService to) {
        return at(to).map(MeshEdge::from).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether there is an edge that ends in this contract of this service. */
    public static boolean leadsTo(MeshService to, String contract) {
        return at(to).anyMatch(edge -> edge.contract.equals(contract));
    }

    /** Whether one may call this contract of the other. */
    public static boolean allows(MeshService from, MeshService to, String contract) {
        return at(to).anyMatch(edge -> edge.from == from && edge.contract.equals(contract));
    }

    private static Stream<MeshEdge> at(MeshService to) {
        return Arrays.stream(values()).filter(edge -> edge.to == to);
    }
}
