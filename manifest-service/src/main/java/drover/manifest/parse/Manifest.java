package drover.manifest.parse;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeType;
import drover.model.UpgradeId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An upgrade manifest as understood (seed 000, Manifest Loader).
 *
 * @param defaultArtifact the artifact of every platform that {@code platformArtifacts} does not
 *     list; empty when only listed platforms can be upgraded
 * @param platformArtifacts artifacts by platform, for example {@code linux/arm64}
 * @param notes for operators; may be empty
 * @param recoveryPlan may be empty unless the migration is breaking
 * @param expectedFailures failures that do not count towards a threshold
 * @param contentHash over the raw bytes
 */
public record Manifest(
        UpgradeId upgradeId,
        ChainProfileId chain,
        NodeType nodeType,
        BinaryName binary,
        Version targetVersion,
        Optional<Artifact> defaultArtifact,
        Map<String, Artifact> platformArtifacts,
        MigrationType migration,
        String notes,
        String recoveryPlan,
        List<TemplatedConfigFile> configChanges,
        ExpectedFailures expectedFailures,
        Digest contentHash) {
    public Manifest {
        platformArtifacts = Map.copyOf(platformArtifacts);
        configChanges = List.copyOf(configChanges);
    }
}
