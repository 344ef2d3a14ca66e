package drover.trust.identity;

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
public enum ServicePermission {
    /** What may be installed, and each node's rendered files. */
    ROLLOUT_CREATION(
            ServiceName.COORDINATOR,
            ServiceName.MANIFEST,
            "drover.manifest.v1.ManifestCatalogService",
            "GetChainProfile",
            "RenderConfigs"),
    /** Operators' questions about manifests, handed on. */
    MANIFESTS(
            ServiceName.COORDINATOR,
            ServiceName.MANIFEST,
            "drover.manifest.v1.ManifestService",
            "GetManifest",
            "ListManifests",
            "GetContentHash",
            "ValidateManifest"),
    /** Who the nodes are, and who is one no more. */
    DIRECTORY(
            ServiceName.COORDINATOR,
            ServiceName.GATEWAY,
            "drover.node.v1.NodeDirectoryService",
            "ListDirectory",
            "RevokeDirectoryNode",
            "RetireDirectoryNode",
            "ReadDirectoryNodeLog"),
    /** What nodes are told, and what they report. */
    GATEWAY_CONTROL(
            ServiceName.COORDINATOR,
            ServiceName.GATEWAY,
            "drover.node.v1.GatewayControlService",
            "Attach"),
    /** Operators' wishes for join tokens, handed on. */
    JOIN_TOKENS(
            ServiceName.COORDINATOR,
            ServiceName.GATEWAY,
            "drover.node.v1.JoinTokenDirectoryService",
            "CreateDirectoryJoinToken",
            "ListDirectoryJoinTokens",
            "RevokeDirectoryJoinToken"),
    /** Whether nodes are well. */
    HEALTH_VERDICTS(
            ServiceName.COORDINATOR,
            ServiceName.HEALTH,
            "drover.health.v1.HealthVerdictService",
            "Watch"),
    /** Heartbeats of watched nodes. */
    HEARTBEATS(
            ServiceName.HEALTH,
            ServiceName.GATEWAY,
            "drover.node.v1.HeartbeatFeedService",
            "Subscribe"),
    /** What a new node has from the beginning: the rendered files. */
    INITIAL_FILES(
            ServiceName.PREPARE,
            ServiceName.MANIFEST,
            "drover.manifest.v1.ManifestCatalogService",
            "ListChainProfiles",
            "RenderConfigs"),
    /** What a new node has from the beginning: the released programs. */
    INITIAL_PROGRAMS(
            ServiceName.PREPARE,
            ServiceName.MANIFEST,
            "drover.manifest.v1.ManifestService",
            "ListManifests",
            "GetManifest"),
    /** New nodes that are made known. */
    NODE_REGISTRATION(
            ServiceName.PREPARE,
            ServiceName.GATEWAY,
            "drover.node.v1.NodeDirectoryService",
            "RegisterNode");

    private final ServiceName from;
    private final ServiceName to;

    @SuppressWarnings("ImmutableEnumChecker") // made unmodifiable in the constructor
    private final Set<String> methods;

    ServicePermission(ServiceName from, ServiceName to, String contract, String... methods) {
        this.from = from;
        this.to = to;
        this.methods =
                Arrays.stream(methods)
                        .map(method -> contract + "/" + method)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Who calls. */
    public ServiceName caller() {
        return from;
    }

    /** Who is called. */
    public ServiceName callee() {
        return to;
    }

    /** The full names of the gRPC methods, as {@code package.Service/Method}. */
    public Set<String> methods() {
        return methods;
    }

    /** Who has any business at the door of this service; the handshake admits nobody else. */
    public static Set<ServiceName> callersOf(ServiceName to) {
        return permissionsToCall(to)
                .map(ServicePermission::caller)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether anybody may call this method of this service; its full name. */
    public static boolean isCallable(ServiceName to, String method) {
        return permissionsToCall(to).anyMatch(edge -> edge.methods.contains(method));
    }

    /** Whether one may call this method of the other; its full name. */
    public static boolean allows(ServiceName from, ServiceName to, String method) {
        return permissionsToCall(to)
                .anyMatch(edge -> edge.from == from && edge.methods.contains(method));
    }

    private static Stream<ServicePermission> permissionsToCall(ServiceName to) {
        return Arrays.stream(values()).filter(edge -> edge.to == to);
    }
}
