package drover.model.identity;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which service may call which methods of which other one: every way there is among services, and
 * what is not here is refused (invariant H5). A contract is not a permission: whoever may register
 * a node may not retire one. Calls have no circle; whoever is captured can do what its own edges
 * allow and no more.
 */
public enum MeshEdge {
    /** What may be installed, and each node's rendered files. */
    CREATION(
            MeshService.COORDINATOR,
            MeshService.MANIFEST,
            "drover.manifest.v1.ManifestCatalogService",
            "GetChainProfile",
            "RenderConfigs"),
    /** Operators' questions about manifests, handed on. */
    MANIFESTS(
            MeshService.COORDINATOR,
            MeshService.MANIFEST,
            "drover.manifest.v1.ManifestService",
            "GetManifest",
            "ListManifests",
            "GetContentHash",
            "ValidateManifest"),
    /** Who the nodes are, and who is one no more. */
    DIRECTORY(
            MeshService.COORDINATOR,
            MeshService.GATEWAY,
            "drover.node.v1.NodeDirectoryService",
            "ListDirectory",
            "RevokeDirectoryNode",
            "RetireDirectoryNode"),
    /** What nodes are told, and what they report. */
    CONTROL(
            MeshService.COORDINATOR,
            MeshService.GATEWAY,
            "drover.node.v1.GatewayControlService",
            "Attach"),
    /** Operators' wishes for join tokens, handed on. */
    JOIN_TOKENS(
            MeshService.COORDINATOR,
            MeshService.GATEWAY,
            "drover.node.v1.JoinTokenDirectoryService",
            "MakeJoinToken",
            "ListDirectoryJoinTokens",
            "EndJoinToken"),
    /** Whether nodes are well. */
    JUDGING(
            MeshService.COORDINATOR,
            MeshService.HEALTH,
            "drover.health.v1.HealthJudgeService",
            "Watch"),
    /** Heartbeats of watched nodes. */
    HEARTBEATS(
            MeshService.HEALTH,
            MeshService.GATEWAY,
            "drover.node.v1.HeartbeatFeedService",
            "Subscribe"),
    /** What a new node has from the beginning: the rendered files. */
    FIRST_FILES(
            MeshService.PREPARE,
            MeshService.MANIFEST,
            "drover.manifest.v1.ManifestCatalogService",
            "ListChainProfiles",
            "RenderConfigs"),
    /** What a new node has from the beginning: the released programs. */
    FIRST_PROGRAMS(
            MeshService.PREPARE,
            MeshService.MANIFEST,
            "drover.manifest.v1.ManifestService",
            "ListManifests",
            "GetManifest"),
    /** New nodes that are made known. */
    NEW_NODES(
            MeshService.PREPARE,
            MeshService.GATEWAY,
            "drover.node.v1.NodeDirectoryService",
            "RegisterNode");

    private final MeshService from;
    private final MeshService to;

    @SuppressWarnings("ImmutableEnumChecker") // made unmodifiable in the constructor
    private final Set<String> methods;

    MeshEdge(MeshService from, MeshService to, String contract, String... methods) {
        this.from = from;
        this.to = to;
        this.methods =
                Arrays.stream(methods)
                        .map(method -> contract + "/" + method)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Who calls. */
    public MeshService from() {
        return from;
    }

    /** Who is called. */
    public MeshService to() {
        return to;
    }

    /** The full names of the gRPC methods, as {@code package.Service/Method}. */
    public Set<String> methods() {
        return methods;
    }

    /** Who has any business at the door of this service; the handshake admits nobody else. */
    public static Set<MeshService> callersOf(MeshService to) {
        return at(to).map(MeshEdge::from).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether anybody may call this method of this service; its full name. */
    public static boolean leadsTo(MeshService to, String method) {
        return at(to).anyMatch(edge -> edge.methods.contains(method));
    }

    /** Whether one may call this method of the other; its full name. */
    public static boolean allows(MeshService from, MeshService to, String method) {
        return at(to).anyMatch(edge -> edge.from == from && edge.methods.contains(method));
    }

    private static Stream<MeshEdge> at(MeshService to) {
        return Arrays.stream(values()).filter(edge -> edge.to == to);
    }
}
