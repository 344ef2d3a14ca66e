package drover.coordinator.peers;

import drover.agent.v1.Content;
import drover.agent.v1.Probe;
import drover.agent.v1.ProgramSpec;
import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.kit.grpc.UnknownFieldCheck;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.ConfigChange;
import drover.manifest.v1.GetChainProfileRequest;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.ListChainProfilesRequest;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderNode;
import drover.manifest.v1.UpgradeManifest;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.model.program.StopSettings;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The manifest-service over gRPC. */
public final class GrpcManifestServiceLink implements ManifestServiceLink {
    private static final int SECONDS = 20; // rendering for 10,000 nodes takes a few

    private final ManagedChannel channel;

    /** A link over a channel that its owner closes. */
    public GrpcManifestServiceLink(ManagedChannel channel) {
        this.channel = channel;
    }

    @Override
    public Manifest fetchManifest(ChainProfileId chain, String upgradeId) {
        UpgradeManifest received =
                call(
                        () ->
                                ManifestServiceGrpc.newBlockingStub(channel)
                                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                        .getManifest(
                                                GetManifestRequest.newBuilder()
                                                        .setChainProfileId(chain.value())
                                                        .setUpgradeId(upgradeId)
                                                        .build())
                                        .getManifest());
        UpgradeManifest manifest = UnknownFieldCheck.requireKnown(received);
        return new Manifest(
                manifest.getNodeType(),
                manifest.getBinaryName(),
                manifest.getTargetVersion(),
                manifest.getTargetUrl(),
                manifest.getTargetChecksum(),
                manifest.getTargetSize(),
                toMigrationType(manifest.getStateCompatibility().getMigrationType()),
                manifest.getRecoveryPlan(),
                manifest.getConfigChangesList().stream()
                        .map(GrpcManifestServiceLink::fromProto)
                        .toList(),
                manifest.getContentHash(),
                manifest.getArtifactsMap().entrySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey, one -> toArtifact(one.getValue()))),
                new ExpectedFailureReasons(
                        Set.copyOf(manifest.getExpectedFailures().getReasonsList()),
                        manifest.getExpectedFailures().getMaxNodes()),
                manifest.getRelease());
    }

    private static Artifact toArtifact(drover.agent.v1.Artifact artifact) {
        return new Artifact(artifact.getUrl(), artifact.getDigest(), artifact.getSize());
    }

    /** A broken file keeps its last good content; a warning leaves it usable. */
    @Override
    public List<Warning> fetchWarnings(ChainProfileId chain, String upgradeId) {
        return upgradeId.isEmpty()
                ? fetchProfileWarnings(chain)
                : fetchManifestWarnings(chain, upgradeId);
    }

    private List<Warning> fetchProfileWarnings(ChainProfileId chain) {
        String file = "chains/" + chain + ".yaml";
        return call(
                        () ->
                                ManifestCatalogServiceGrpc.newBlockingStub(channel)
                                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                        .listChainProfiles(
                                                ListChainProfilesRequest.getDefaultInstance())
                                        .getProblemsList())
                .stream()
                .filter(problem -> problem.getFile().equals(file))
                .limit(1)
                .map(
                        problem ->
                                new Warning(
                                        "CHAIN_PROFILE_STALE",
                                        "The chain profile is broken, and its last good content is used: "
                                                + problem.getMessage()))
                .toList();
    }

    private List<Warning> fetchManifestWarnings(ChainProfileId chain, String upgradeId) {
        List<ManifestEntry> entries =
                call(
                        () ->
                                ManifestServiceGrpc.newBlockingStub(channel)
                                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                        .listManifests(
                                                ListManifestsRequest.newBuilder()
                                                        .setChainProfileId(chain.value())
                                                        .build())
                                        .getManifestsList());
        return entries.stream()
                .filter(entry -> entry.getUpgradeId().equals(upgradeId))
                .flatMap(GrpcManifestServiceLink::toWarnings)
                .toList();
    }

    private static Stream<Warning> toWarnings(ManifestEntry entry) {
        Stream<Warning> stale =
                entry.getProblemsList().stream()
                        .limit(1) // one is enough to say so; validation lists them all
                        .map(
                                problem ->
                                        new Warning(
                                                "MANIFEST_STALE",
                                                "The manifest's file is broken now, and what it held before is used: "
                                                        + problem.getMessage()));
        Stream<Warning> warnings =
                entry.getWarningsList().stream()
                        .map(
                                warning ->
                                        new Warning(
                                                warning.getCode(),
                                                warning.getMessage()
                                                        .replaceFirst("^Warning: t", "T")));
        return Stream.concat(stale, warnings);
    }

    /** The migration type in our words; absent is none, as in the seed. */
    public static MigrationType toMigrationType(drover.manifest.v1.MigrationType type) {
        return switch (type) {
            case MIGRATION_TYPE_COMPATIBLE -> MigrationType.COMPATIBLE;
            case MIGRATION_TYPE_BREAKING -> MigrationType.BREAKING;
            case MIGRATION_TYPE_NONE, MIGRATION_TYPE_UNSPECIFIED -> MigrationType.NONE;
            case UNRECOGNIZED ->
                    throw new Refused(
                            RefusalCode.UNKNOWN_CONTENT,
                            "A later version said of the state what this one does not know; upgrade"
                                    + " the coordinators.",
                            "migration_type");
        };
    }

    /** A change in our words. */
    public static ConfigTemplateChange fromProto(ConfigChange change) {
        return new ConfigTemplateChange(
                change.getPath(), change.getTemplate(), change.getOverridesMap());
    }

    @Override
    public Profile fetchProfile(ChainProfileId chain) {
        ChainProfile profile =
                call(
                        () ->
                                ManifestCatalogServiceGrpc.newBlockingStub(channel)
                                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                        .getChainProfile(
                                                GetChainProfileRequest.newBuilder()
                                                        .setChainProfileId(chain.value())
                                                        .build())
                                        .getProfile());
        var _ = UnknownFieldCheck.requireKnown(profile.getHealth());
        com.google.protobuf.Duration wait = profile.getHealth().getHealthWait();
        return new Profile(
                profile.getRuntime(),
                programTimes(profile),
                profile.getHealth().hasHealthWait()
                        ? Duration.ofSeconds(wait.getSeconds(), wait.getNanos())
                        : null,
                profile.getHealth().getCrashLoopRestarts());
    }

    private static Map<String, ProbeIntervalAndStopTimeout> programTimes(ChainProfile profile) {
        Map<String, ProbeIntervalAndStopTimeout> programs = new LinkedHashMap<>();
        profile.getProgramsList()
                .forEach(
                        program ->
                                programs.put(
                                        program.getSpec().getName(),
                                        new ProbeIntervalAndStopTimeout(
                                                longestProbeInterval(program.getSpec()),
                                                stopTimeout(program.getSpec()))));
        return programs;
    }

    private static Duration stopTimeout(ProgramSpec program) {
        com.google.protobuf.Duration timeout = program.getStop().getTimeout();
        return program.getStop().hasTimeout()
                ? Duration.ofSeconds(timeout.getSeconds(), timeout.getNanos())
                : StopSettings.DEFAULT_TIMEOUT;
    }

    private static Duration longestProbeInterval(ProgramSpec program) {
        return program.getProbesList().stream()
                .map(Probe::getInterval)
                .map(interval -> Duration.ofSeconds(interval.getSeconds(), interval.getNanos()))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    @Override
    public RenderedConfigs render(
            ChainProfileId chain,
            BinaryName binary,
            String targetVersion,
            List<ConfigTemplateChange> changes,
            List<RenderTarget> nodes) {
        RenderConfigsRequest.Builder request =
                RenderConfigsRequest.newBuilder()
                        .setChainProfileId(chain.value())
                        .setBinaryName(binary.value())
                        .setTargetVersion(targetVersion);
        changes.forEach(change -> request.addConfigChanges(toProto(change)));
        nodes.forEach(
                node ->
                        request.addNodes(
                                RenderNode.newBuilder()
                                        .setNodeId(node.id().value())
                                        .setNodeType(node.type())
                                        .putAllLabels(node.labels())));
        return toRendered(
                call(
                        () ->
                                ManifestCatalogServiceGrpc.newBlockingStub(channel)
                                        .withMaxInboundMessageSize(Integer.MAX_VALUE)
                                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
                                        .renderConfigs(request.build())));
    }

    private static ConfigChange toProto(ConfigTemplateChange change) {
        return ConfigChange.newBuilder()
                .setPath(change.path())
                .setTemplate(change.template())
                .putAllOverrides(change.overrides())
                .build();
    }

    private static RenderedConfigs toRendered(RenderConfigsResponse response) {
        Map<String, byte[]> contents = new HashMap<>();
        for (Content content : response.getContentsList()) {
            contents.put(content.getDigest(), content.getData().toByteArray());
        }
        List<RenderedNode> nodes =
                response.getNodesList().stream()
                        .map(
                                node ->
                                        new RenderedNode(
                                                new NodeId(node.getNodeId()),
                                                UnknownFieldCheck.requireKnown(node.getProgram())
                                                        .toByteArray(),
                                                new Digest(node.getLaunchDigest()),
                                                node.getFilesList().stream()
                                                        .map(
                                                                file ->
                                                                        new RenderedFileDigest(
                                                                                new NodePath(
                                                                                        file
                                                                                                .getPath()),
                                                                                new Digest(
                                                                                        file
                                                                                                .getDigest()),
                                                                                file.getSize()))
                                                        .toList()))
                        .toList();
        return new RenderedConfigs(nodes, contents);
    }

    private static <T> T call(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw RefusalParser.from(e)
                    .<RuntimeException>map(refused -> refused)
                    .orElseGet(
                            () ->
                                    new PeerUnavailable(
                                            Peer.MANIFESTS,
                                            "The manifest-service did not answer",
                                            e));
        }
    }
}
