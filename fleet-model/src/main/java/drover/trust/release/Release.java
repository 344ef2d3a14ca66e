package drover.trust.release;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What people sign offline: this program may be installed in this version, on nodes of this kind,
 * until then (SECURITY, roles: releases).
 *
 * @param releaseNumber grows with every release of the program, whatever its version is called
 * @param minimumReleaseNumber no release with a lower counter may be installed once this one was
 *     seen
 * @param rollbackAllowed whether it may be installed on a node that has seen a later one
 * @param expires from when on nobody begins with it
 * @param configPaths configuration files that may be written with it, and no others
 * @param recoveryPlan what to do when the state cannot be read after a rollback; may be empty
 * @param launch command line and probes; null if nodes keep those that they have
 */
public record Release(
        ChainProfileId chain,
        List<NodeType> nodeTypes,
        BinaryName program,
        Version version,
        long releaseNumber,
        long minimumReleaseNumber,
        boolean rollbackAllowed,
        Instant expires,
        List<ReleaseArtifact> artifacts,
        List<NodePath> configPaths,
        String recoveryPlan,
        @Nullable ReleaseLaunchSpec launch) {
    /** Bytes of a signed release (SECURITY: length caps). */
    public static final int MAX_BYTES = 1 << 20;

    /** Highest counter: whole in every JSON. */
    public static final long MAX_RELEASE_NUMBER = 1L << 53;

    private static final String TYPE = "drover.release";
    private static final int MOST_ARTIFACTS = 64;
    private static final int MOST_PATHS = 1_000; // as many as a command may carry
    private static final int LONGEST_PLAN = 64 * 1024;

    /** Refuses, with {@link NotTrusted}, what could mean nothing or two things. */
    public Release {
        nodeTypes = sorted(nodeTypes);
        configPaths = sorted(configPaths);
        artifacts = List.copyOf(artifacts);
        if (releaseNumber < 1
                || releaseNumber > MAX_RELEASE_NUMBER
                || minimumReleaseNumber < 0
                || minimumReleaseNumber > releaseNumber) {
            throw NotTrusted.malformed(
                    "A release has a counter of at least 1 and a floor that is not above it.");
        }
        if (nodeTypes.isEmpty() || artifacts.isEmpty() || recoveryPlan.length() > LONGEST_PLAN) {
            throw NotTrusted.malformed(
                    "A release names a node type and an artifact, and its plan is short.");
        }
        if (new HashSet<>(artifacts.stream().map(ReleaseArtifact::platform).toList()).size()
                != artifacts.size()) {
            throw NotTrusted.malformed("A release has one artifact for each platform.");
        }
    }

    /** A release with which nodes keep command lines and probes. */
    public Release(
            ChainProfileId chain,
            List<NodeType> nodeTypes,
            BinaryName program,
            Version version,
            long counter,
            long floor,
            boolean rollbackAllowed,
            Instant expires,
            List<ReleaseArtifact> artifacts,
            List<NodePath> configPaths,
            String recoveryPlan) {
        this(
                chain,
                nodeTypes,
                program,
                version,
                counter,
                floor,
                rollbackAllowed,
                expires,
                artifacts,
                configPaths,
                recoveryPlan,
                null);
    }

    /** The same with a command line and probes. */
    public Release withLaunch(@Nullable ReleaseLaunchSpec signed) {
        return new Release(
                chain,
                nodeTypes,
                program,
                version,
                releaseNumber,
                minimumReleaseNumber,
                rollbackAllowed,
                expires,
                artifacts,
                configPaths,
                recoveryPlan,
                signed);
    }

    private static <T extends Comparable<T>> List<T> sorted(Collection<T> names) {
        return List.copyOf(new TreeSet<>(names));
    }

    /** What a payload says; worth nothing before its envelope has been verified. */
    public static Release parse(byte[] payload) {
        JsonObjectReader fields = JsonObjectReader.of("The release", JsonReader.read(payload));
        if (!fields.readText("type").equals(TYPE)) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE, "This is no release: take the original.");
        }
        Release release =
                new Release(
                        fields.readName("chain", ChainProfileId::new),
                        fields.readNames("node_types", 64, NodeType::new),
                        fields.readName("program", BinaryName::new),
                        fields.readName("version", Version::new),
                        fields.readLong("counter", 1, MAX_RELEASE_NUMBER),
                        fields.readLong("floor", 0, MAX_RELEASE_NUMBER),
                        fields.readBoolean("rollback_allowed"),
                        fields.readInstant("expires"),
                        fields.readList("artifacts", MOST_ARTIFACTS, Release::parseArtifact),
                        fields.readNames("config_paths", MOST_PATHS, NodePath::new),
                        fields.readText("recovery_plan"),
                        fields.hasUnread("launch")
                                ? ReleaseLaunchSpec.read(fields.readObject("launch"))
                                : null);
        fields.requireAllRead();
        return release;
    }

    private static ReleaseArtifact parseArtifact(Json json) {
        JsonObjectReader fields = JsonObjectReader.of("An artifact", json);
        ReleaseArtifact artifact =
                new ReleaseArtifact(
                        fields.readText("platform"),
                        fields.readName("digest", Digest::new),
                        fields.readLong("length", 0, MAX_RELEASE_NUMBER));
        fields.requireAllRead();
        return artifact;
    }

    /** The release as it is signed: the same release is always the same bytes. */
    public Envelope toUnsignedEnvelope() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("type", new Json.JsonString(TYPE));
        members.put("chain", new Json.JsonString(chain.value()));
        members.put("node_types", toJsonStrings(nodeTypes, NodeType::value));
        members.put("program", new Json.JsonString(program.value()));
        members.put("version", new Json.JsonString(version.value()));
        members.put("counter", new Json.JsonInteger(releaseNumber));
        members.put("floor", new Json.JsonInteger(minimumReleaseNumber));
        members.put("rollback_allowed", new Json.JsonBoolean(rollbackAllowed));
        members.put("expires", new Json.JsonString(expires.toString()));
        members.put(
                "artifacts", new Json.JsonArray(artifacts.stream().map(Release::json).toList()));
        members.put("config_paths", toJsonStrings(configPaths, NodePath::value));
        members.put("recovery_plan", new Json.JsonString(recoveryPlan));
        if (launch != null) {
            members.put("launch", launch.json());
        }
        return Envelope.unsigned(Envelope.RELEASE, JsonWriter.write(new Json.JsonObject(members)));
    }

    private static <T> Json toJsonStrings(List<T> names, Function<T, String> text) {
        List<Json> texts = new ArrayList<>();
        names.forEach(name -> texts.add(new Json.JsonString(text.apply(name))));
        return new Json.JsonArray(texts);
    }

    private static Json json(ReleaseArtifact artifact) {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("platform", new Json.JsonString(artifact.platform()));
        members.put("digest", new Json.JsonString(artifact.digest().value()));
        members.put("length", new Json.JsonInteger(artifact.length()));
        return new Json.JsonObject(members);
    }

    /** What a node of this platform gets: the artifact listed for it, else the one for any. */
    public Optional<ReleaseArtifact> artifactFor(String platform) {
        return artifacts.stream()
                .filter(one -> one.platform().equals(platform))
                .findFirst()
                .or(
                        () ->
                                artifacts.stream()
                                        .filter(one -> one.platform().equals(ReleaseArtifact.ANY))
                                        .findFirst());
    }
}
