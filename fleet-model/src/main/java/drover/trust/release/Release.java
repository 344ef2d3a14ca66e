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
        @Nullable ReleaseLaunch launch) {
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
    public Release launchedAs(@Nullable ReleaseLaunch signed) {
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
        JsonFields fields = JsonFields.of("The release", JsonReader.read(payload));
        if (!fields.text("type").equals(TYPE)) {
            throw new NotTrusted(
                    RejectionReason.WRONG_TYPE, "This is no release: take the original.");
        }
        Release release =
                new Release(
                        fields.name("chain", ChainProfileId::new),
                        fields.names("node_types", 64, NodeType::new),
                        fields.name("program", BinaryName::new),
                        fields.name("version", Version::new),
                        fields.whole("counter", 1, MAX_RELEASE_NUMBER),
                        fields.whole("floor", 0, MAX_RELEASE_NUMBER),
                        fields.flag("rollback_allowed"),
                        fields.time("expires"),
                        fields.list("artifacts", MOST_ARTIFACTS, Release::artifact),
                        fields.names("config_paths", MOST_PATHS, NodePath::new),
                        fields.text("recovery_plan"),
                        fields.has("launch") ? ReleaseLaunch.read(fields.object("launch")) : null);
        fields.requireNoOthers();
        return release;
    }

    private static ReleaseArtifact artifact(Json json) {
        JsonFields fields = JsonFields.of("An artifact", json);
        ReleaseArtifact artifact =
                new ReleaseArtifact(
                        fields.text("platform"),
                        fields.name("digest", Digest::new),
                        fields.whole("length", 0, MAX_RELEASE_NUMBER));
        fields.requireNoOthers();
        return artifact;
    }

    /** The release as it is signed: the same release is always the same bytes. */
    public Envelope envelope() {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("type", new Json.Text(TYPE));
        members.put("chain", new Json.Text(chain.value()));
        members.put("node_types", texts(nodeTypes, NodeType::value));
        members.put("program", new Json.Text(program.value()));
        members.put("version", new Json.Text(version.value()));
        members.put("counter", new Json.Whole(releaseNumber));
        members.put("floor", new Json.Whole(minimumReleaseNumber));
        members.put("rollback_allowed", new Json.Flag(rollbackAllowed));
        members.put("expires", new Json.Text(expires.toString()));
        members.put("artifacts", new Json.Items(artifacts.stream().map(Release::json).toList()));
        members.put("config_paths", texts(configPaths, NodePath::value));
        members.put("recovery_plan", new Json.Text(recoveryPlan));
        if (launch != null) {
            members.put("launch", launch.json());
        }
        return Envelope.unsigned(Envelope.RELEASE, JsonWriter.write(new Json.Members(members)));
    }

    private static <T> Json texts(List<T> names, Function<T, String> text) {
        List<Json> texts = new ArrayList<>();
        names.forEach(name -> texts.add(new Json.Text(text.apply(name))));
        return new Json.Items(texts);
    }

    private static Json json(ReleaseArtifact artifact) {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("platform", new Json.Text(artifact.platform()));
        members.put("digest", new Json.Text(artifact.digest().value()));
        members.put("length", new Json.Whole(artifact.length()));
        return new Json.Members(members);
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
