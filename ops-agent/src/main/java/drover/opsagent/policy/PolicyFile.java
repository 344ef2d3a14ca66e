package drover.opsagent.policy;

import com.fasterxml.jackson.annotation.JsonProperty;
import drover.model.ChainProfileId;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a node's policy. A file that anybody but its owner could change, or whose owner is not the
 * one that is trusted, is refused: it would be no bound.
 */
public final class PolicyFile {
    private static final int LARGEST = 64 * 1024;
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(tools.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build();

    /** What the file says; a missing list is empty. */
    private record Content(
            @org.jspecify.annotations.Nullable List<String> roots,
            @org.jspecify.annotations.Nullable List<String> units,
            @org.jspecify.annotations.Nullable List<String> containers,
            @org.jspecify.annotations.Nullable List<String> hosts,
            @org.jspecify.annotations.Nullable SignatureSettings signatures,
            @org.jspecify.annotations.Nullable ProbeSettings probes,
            @org.jspecify.annotations.Nullable List<String> interpreters,
            @org.jspecify.annotations.Nullable List<String> drivers,
            @JsonProperty("unsigned_agent") @org.jspecify.annotations.Nullable
                    Boolean unsignedAgent) {}

    /** What probes may run and reach; missing lists are empty. */
    private record ProbeSettings(
            @org.jspecify.annotations.Nullable List<String> exec,
            @org.jspecify.annotations.Nullable String user,
            @org.jspecify.annotations.Nullable List<String> addresses) {
        static final ProbeSettings NONE = new ProbeSettings(null, null, null);
    }

    /** Whose signatures are asked for; three fields must be there. */
    private record SignatureSettings(
            @org.jspecify.annotations.Nullable String trust,
            @org.jspecify.annotations.Nullable Boolean required,
            @org.jspecify.annotations.Nullable String chain,
            @JsonProperty("node_type") @org.jspecify.annotations.Nullable String nodeType,
            @org.jspecify.annotations.Nullable Boolean commands,
            @JsonProperty("node_id") @org.jspecify.annotations.Nullable String nodeId) {}

    private PolicyFile() {}

    /**
     * Reads it.
     *
     * @param owner who must own the file and every directory above it, usually {@code root}
     * @throws IllegalArgumentException with one sentence when it cannot be trusted or understood
     */
    public static LocalPolicy read(Path file, String owner) {
        Path at = file.toAbsolutePath().normalize();
        try {
            return toPolicy(JSON.readValue(readProtected(at, owner), Content.class), owner);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "The policy " + at + " cannot be read: " + firstLine(e) + ".", e);
        } catch (MalformedValue e) {
            throw new IllegalArgumentException(
                    "The policy " + at + " has a name that is none: " + e.getMessage(), e);
        }
    }

    private static LocalPolicy toPolicy(Content content, String owner) {
        return new LocalPolicy(
                true,
                orEmpty(content.roots()).stream().map(NodePath::new).toList(),
                Set.copyOf(orEmpty(content.units())),
                Set.copyOf(orEmpty(content.containers())),
                Set.copyOf(orEmpty(content.hosts())),
                toSignaturePolicy(content.signatures(), owner),
                toLaunchAndProbePolicy(content));
    }

    private static LaunchAndProbePolicy toLaunchAndProbePolicy(Content content) {
        ProbeSettings probes = content.probes() == null ? ProbeSettings.NONE : content.probes();
        return new LaunchAndProbePolicy(
                toPaths(probes.exec()),
                probes.user() == null ? LaunchAndProbePolicy.DEFAULT_USER : probes.user(),
                orEmpty(probes.addresses()).stream().map(AddressRange::parse).toList(),
                toPaths(content.interpreters()),
                toPaths(content.drivers()),
                Boolean.TRUE.equals(content.unsignedAgent()));
    }

    private static Set<NodePath> toPaths(@org.jspecify.annotations.Nullable List<String> listed) {
        return orEmpty(listed).stream().map(NodePath::new).collect(Collectors.toSet());
    }

    private static SignaturePolicy toSignaturePolicy(
            @org.jspecify.annotations.Nullable SignatureSettings requested, String owner) {
        if (requested == null) {
            return new SignaturePolicy.None();
        }
        if (requested.trust() == null
                || !Path.of(requested.trust()).isAbsolute()
                || requested.chain() == null
                || requested.nodeType() == null) {
            throw new IllegalArgumentException(
                    "The policy asks for signatures without saying whose: give trust (an absolute"
                            + " path), chain and node_type.");
        }
        SignaturePolicy.VerifyReleases releases =
                new SignaturePolicy.VerifyReleases(
                        Path.of(requested.trust()),
                        owner,
                        requested.required() == null || requested.required(),
                        new ChainProfileId(requested.chain()),
                        new NodeType(requested.nodeType()));
        if (requested.commands() == null || !requested.commands()) {
            return releases;
        }
        if (requested.nodeId() == null) {
            throw new IllegalArgumentException(
                    "The policy asks for signed commands without saying to whom: give node_id, the"
                            + " name that this node is registered under.");
        }
        return releases.withSignedCommandsFor(new NodeId(requested.nodeId()));
    }

    private static List<String> orEmpty(@org.jspecify.annotations.Nullable List<String> listed) {
        return listed == null ? List.of() : listed;
    }

    private static byte[] readProtected(Path at, String owner) {
        try {
            return new OwnerCheckingFileReader(at, List.of(owner), false).read(LARGEST);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The policy is not trusted: " + e.getMessage(), e);
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
