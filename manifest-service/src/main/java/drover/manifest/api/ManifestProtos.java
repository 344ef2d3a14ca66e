package drover.manifest.api;

import com.google.protobuf.Timestamp;
import drover.kit.grpc.Refused;
import drover.manifest.catalog.CatalogFileCache;
import drover.manifest.catalog.FileWithLastValidContent;
import drover.manifest.document.ValidationProblem;
import drover.manifest.parse.Artifact;
import drover.manifest.parse.ConfigWritePolicy;
import drover.manifest.parse.ExpectedFailures;
import drover.manifest.parse.Manifest;
import drover.manifest.parse.TemplateNameRules;
import drover.manifest.parse.TemplatedConfigFile;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestProblem;
import drover.manifest.v1.MigrationType;
import drover.manifest.v1.StateCompatibility;
import drover.manifest.v1.UpgradeManifest;
import drover.model.NodePath;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Converts manifests between the pure room's types and the messages. */
public final class ManifestProtos {
    private ManifestProtos() {}

    /** A manifest as a message. */
    public static UpgradeManifest toProto(Manifest manifest) {
        UpgradeManifest.Builder builder =
                UpgradeManifest.newBuilder()
                        .setUpgradeId(manifest.upgradeId().value())
                        .setChainProfileId(manifest.chain().value())
                        .setNodeType(manifest.nodeType().value())
                        .setBinaryName(manifest.binary().value())
                        .setTargetVersion(manifest.targetVersion().value())
                        .setStateCompatibility(
                                StateCompatibility.newBuilder()
                                        .setMigrationType(toProto(manifest.migration()))
                                        .setNotes(manifest.notes()))
                        .setRecoveryPlan(manifest.recoveryPlan())
                        .setExpectedFailures(toProto(manifest.expectedFailures()))
                        .setContentHash(manifest.contentHash().value());
        manifest.defaultArtifact()
                .ifPresent(
                        artifact ->
                                builder.setTargetUrl(artifact.url())
                                        .setTargetChecksum(artifact.checksum().value())
                                        .setTargetSize(artifact.size()));
        manifest.platformArtifacts()
                .forEach((platform, artifact) -> builder.putArtifacts(platform, toProto(artifact)));
        manifest.configChanges().forEach(change -> builder.addConfigChanges(toProto(change)));
        return builder.build();
    }

    private static drover.manifest.v1.ExpectedFailures toProto(ExpectedFailures expected) {
        return drover.manifest.v1.ExpectedFailures.newBuilder()
                .addAllReasons(expected.reasons())
                .setMaxNodes(expected.maxNodes())
                .build();
    }

    private static drover.agent.v1.Artifact toProto(Artifact artifact) {
        return drover.agent.v1.Artifact.newBuilder()
                .setUrl(artifact.url())
                .setDigest(artifact.checksum().value())
                .setSize(artifact.size())
                .build();
    }

    private static MigrationType toProto(drover.model.MigrationType migration) {
        return switch (migration) {
            case NONE -> MigrationType.MIGRATION_TYPE_NONE;
            case COMPATIBLE -> MigrationType.MIGRATION_TYPE_COMPATIBLE;
            case BREAKING -> MigrationType.MIGRATION_TYPE_BREAKING;
        };
    }

    static drover.manifest.v1.ConfigChange toProto(TemplatedConfigFile change) {
        return drover.manifest.v1.ConfigChange.newBuilder()
                .setPath(change.path().value())
                .setTemplate(change.template())
                .putAllOverrides(change.overrides())
                .setManaged(toProto(change.managed()))
                .build();
    }

    private static drover.manifest.v1.ConfigManagement toProto(ConfigWritePolicy managed) {
        return switch (managed) {
            case ALWAYS -> drover.manifest.v1.ConfigManagement.CONFIG_MANAGEMENT_ALWAYS;
            case ONCE -> drover.manifest.v1.ConfigManagement.CONFIG_MANAGEMENT_ONCE;
            case MERGE -> drover.manifest.v1.ConfigManagement.CONFIG_MANAGEMENT_MERGE;
        };
    }

    /** Files to render as asked; refused when a path or name is malformed or stands twice. */
    public static List<TemplatedConfigFile> fromProto(
            List<drover.manifest.v1.ConfigChange> changes) {
        List<TemplatedConfigFile> parsed = new ArrayList<>();
        Set<NodePath> paths = new HashSet<>();
        for (int i = 0; i < changes.size(); i++) {
            String field = "config_changes[" + i + "]";
            drover.manifest.v1.ConfigChange change = changes.get(i);
            NodePath path =
                    RequestFieldParser.parseRequired(
                            field + ".path", change.getPath(), NodePath::new);
            if (!paths.add(path)) {
                throw new Refused(
                        RefusalCode.INVALID_FIELD,
                        "The path '" + path + "' stands twice in config_changes: keep one.",
                        field + ".path");
            }
            String template =
                    RequestFieldParser.parseRequired(
                            field + ".template",
                            change.getTemplate(),
                            TemplateNameRules::requireValid);
            parsed.add(
                    new TemplatedConfigFile(
                            path, template, change.getOverridesMap(), ConfigWritePolicy.ALWAYS));
        }
        return parsed;
    }

    /** A problem as a message. */
    public static ManifestProblem toProto(ValidationProblem problem) {
        return ManifestProblem.newBuilder()
                .setPath(problem.location().path())
                .setLine(problem.location().line())
                .setColumn(problem.location().column())
                .setMessage(problem.message())
                .setCode(problem.code().name())
                .setFile(problem.file())
                .build();
    }

    static ManifestEntry toEntry(
            String file,
            FileWithLastValidContent<Manifest> state,
            List<ValidationProblem> problems,
            List<ValidationProblem> warnings) {
        ManifestEntry.Builder entry =
                ManifestEntry.newBuilder()
                        .setChainProfileId(CatalogFileCache.expectedIds(file).chain())
                        .setUpgradeId(CatalogFileCache.baseName(file));
        problems.forEach(problem -> entry.addProblems(toProto(problem)));
        warnings.forEach(warning -> entry.addWarnings(toProto(warning)));
        state.lastGood()
                .ifPresent(
                        good ->
                                entry.setContentHash(good.hash().value())
                                        .setTargetVersion(good.value().targetVersion().value())
                                        .setBinaryName(good.value().binary().value())
                                        .setLoadedAt(toTimestamp(good.at())));
        return entry.build();
    }

    private static Timestamp toTimestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
