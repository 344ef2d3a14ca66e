package drover.coordinator.engine.create;

import com.google.protobuf.ByteString;
import drover.coordinator.peers.ManifestServiceLink;
import drover.coordinator.peers.ManifestServiceLink.ConfigTemplateChange;
import drover.coordinator.peers.ManifestServiceLink.Manifest;
import drover.coordinator.plan.create.AgentUpgradeRules;
import drover.coordinator.plan.create.CreationFieldRules;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.TargetArtifact;
import drover.coordinator.plan.model.Threshold;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.RefusalCode;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A request once the manifest has filled it in (seed 000: auto mode), with defaults applied where a
 * profile or the product says them.
 *
 * @param artifactSize exact size of the artifact; 0 when not known
 * @param artifacts artifacts of the platforms that have one of their own
 * @param release signed release that lay beside the manifest; empty when there was none
 */
record ManifestFilledCreationRequest(
        UnvalidatedCreationRequest request,
        long artifactSize,
        Map<String, TargetArtifact> artifacts,
        ByteString release) {
    private static final int DEFAULT_BATCH =
            10; // for strategies that need none: how many are rolled back at once
    private static final int DEFAULT_IN_FLIGHT = 100;
    private static final Duration DEFAULT_HEALTH_WAIT = Duration.ofMinutes(1);
    private static final int DEFAULT_CRASH_LOOP = 3;

    static ManifestFilledCreationRequest resolve(
            UnvalidatedCreationRequest requested,
            ChainProfileId chain,
            ManifestServiceLink manifests) {
        if (requested.upgradeId().isBlank()) {
            return new ManifestFilledCreationRequest(requested, 0, Map.of(), ByteString.EMPTY);
        }
        Manifest manifest = manifests.fetchManifest(chain, requested.upgradeId());
        requireNoConflict("node_type", requested.nodeType(), manifest.nodeType());
        requireNoConflict("binary_name", requested.binary(), manifest.binary());
        requireNoConflict("target_version", requested.targetVersion(), manifest.targetVersion());
        requireNoConflict("target_binary_url", requested.url(), manifest.url());
        requireNoConflict("target_binary_checksum", requested.checksum(), manifest.checksum());
        requireNoConflict("recovery_plan", requested.recoveryPlan(), manifest.recoveryPlan());
        requireNoConflict(
                "manifest_content_hash", requested.manifestHash(), manifest.contentHash());
        requireNoConflict(
                "migration_type",
                requested.migration() == null ? "" : requested.migration().name(),
                manifest.migration().name());
        if (!requested.changes().isEmpty()) {
            throw conflictRefusal("config_changes");
        }
        return new ManifestFilledCreationRequest(
                mergeManifest(requested, manifest),
                manifest.size(),
                targetArtifacts(manifest),
                manifest.release());
    }

    private static Map<String, TargetArtifact> targetArtifacts(Manifest manifest) {
        return manifest.artifacts().entrySet().stream()
                .collect(
                        Collectors.toMap(
                                Map.Entry::getKey,
                                one ->
                                        new TargetArtifact(
                                                one.getValue().url(),
                                                RefusingFieldParser.parse(
                                                        "artifacts.checksum",
                                                        one.getValue().checksum(),
                                                        Digest::new),
                                                one.getValue().size())));
    }

    /** What still speaks against it, now that everything is filled in. */
    Optional<CreationFieldRules.Refusal> findRefusal(String runtime) {
        Optional<CreationFieldRules.Refusal> refusal =
                hasOnlyPlatformArtifacts()
                        ? CreationFieldRules.checkAfterManifestPerPlatform(request)
                        : CreationFieldRules.checkAfterManifest(request, runtime);
        return refusal.or(() -> AgentUpgradeRules.findRefusal(request));
    }

    /** Whether only the platforms listed have an artifact. */
    boolean hasOnlyPlatformArtifacts() {
        return request.url().isEmpty() && !artifacts.isEmpty();
    }

    private static UnvalidatedCreationRequest mergeManifest(
            UnvalidatedCreationRequest requested, Manifest manifest) {
        return new UnvalidatedCreationRequest(
                requested.chain(),
                manifest.nodeType(),
                requested.upgradeId(),
                manifest.binary(),
                requested.sourceVersions(),
                manifest.targetVersion(),
                manifest.url(),
                manifest.checksum(),
                requested.strategy(),
                requested.batchSize(),
                requested.canarySize(),
                requested.threshold(),
                requested.thresholdPercent(),
                requested.maxInFlight(),
                requested.healthWait(),
                manifest.changes().stream()
                        .map(
                                c ->
                                        new UnvalidatedCreationRequest.TemplatedConfigChange(
                                                c.path(), c.template(), c.overrides()))
                        .toList(),
                manifest.migration(),
                manifest.recoveryPlan(),
                requested.acknowledgeStateRisk(),
                manifest.contentHash(),
                requested.offlineBudget(),
                requested.forceContinue(),
                requested.skipValidation(),
                requested.nodeIds(),
                requested.exclude(),
                requested.nodeSelector(),
                requested.policy().withExpected(manifest.expected()));
    }

    private static void requireNoConflict(String field, String requested, String manifest) {
        if (!requested.isBlank() && !requested.equals(manifest)) {
            throw conflictRefusal(field);
        }
    }

    private static Refused conflictRefusal(String field) {
        return new Refused(
                RefusalCode.FIELD_CONFLICTS_WITH_MANIFEST,
                field + " differs from the manifest; leave it out, the manifest gives it.",
                field);
    }

    List<ConfigTemplateChange> parseConfigChanges() {
        return request.changes().stream()
                .map(
                        change ->
                                new ConfigTemplateChange(
                                        RefusingFieldParser.parsePath(
                                                        "config_changes.path", change.path())
                                                .value(),
                                        change.template(),
                                        change.overrides()))
                .toList();
    }

    RolloutSpec toSpec(ChainProfileId chain, ManifestServiceLink.Profile profile) {
        BinaryName binary =
                RefusingFieldParser.parse("binary_name", request.binary(), BinaryName::new);
        ManifestServiceLink.ProbeIntervalAndStopTimeout times =
                profile.programs().get(binary.value());
        if (times == null) {
            throw new Refused(
                    RefusalCode.PROGRAM_NOT_FOUND,
                    "Chain profile "
                            + chain
                            + " has no program "
                            + binary
                            + "; it has "
                            + String.join(", ", profile.programs().keySet())
                            + ".",
                    "binary_name");
        }
        Duration wait =
                request.healthWait() != null
                        ? request.healthWait()
                        : profile.healthWait() != null ? profile.healthWait() : DEFAULT_HEALTH_WAIT;
        RolloutCreator.refuseIf(
                CreationFieldRules.checkProbeInterval(request, wait, times.longestProbeInterval()));
        return new RolloutSpec(
                        chain,
                        request.nodeType(),
                        binary,
                        request.sourceVersions().stream()
                                .map(
                                        version ->
                                                RefusingFieldParser.parse(
                                                        "source_version", version, Version::new))
                                .toList(),
                        RefusingFieldParser.parse(
                                "target_version", request.targetVersion(), Version::new),
                        request.url(),
                        hasOnlyPlatformArtifacts()
                                ? RolloutSpec.combinedDigest(artifacts)
                                : RefusingFieldParser.parse(
                                        "target_binary_checksum", request.checksum(), Digest::new),
                        ProgramKind.of(chain, binary).targetRuntime(profile.runtime()),
                        toStrategy(),
                        toThreshold(),
                        request.maxInFlight() == 0 ? DEFAULT_IN_FLIGHT : request.maxInFlight(),
                        request.offlineBudget(),
                        wait,
                        profile.crashLoopRestarts() == 0
                                ? DEFAULT_CRASH_LOOP
                                : profile.crashLoopRestarts(),
                        request.migration() == null ? MigrationType.NONE : request.migration(),
                        request.recoveryPlan(),
                        request.upgradeId(),
                        request.manifestHash(),
                        artifacts)
                .withPolicy(request.policy())
                .withStopTimeout(times.stopTimeout())
                .withRelease(release.isEmpty() ? "" : Digest.of(release.toByteArray()).value());
    }

    private Strategy toStrategy() {
        int batch = request.batchSize() == 0 ? DEFAULT_BATCH : request.batchSize();
        StrategyName name = request.strategy();
        if (name == null) {
            throw new IllegalStateException("The rules have let a request without strategy pass");
        }
        return switch (name) {
            case ROLLING -> new Strategy.Rolling(batch);
            case CANARY -> new Strategy.Canary(Math.max(1, request.canarySize()), batch);
            case PROGRESSIVE -> new Strategy.Progressive(batch);
            case ALL_AT_ONCE ->
                    new Strategy.AllAtOnce(
                            batch, request.forceContinue(), request.skipValidation());
        };
    }

    private Threshold toThreshold() {
        return request.thresholdPercent() > 0
                ? new Threshold.Percent(request.thresholdPercent())
                : new Threshold.Count(request.threshold());
    }
}
