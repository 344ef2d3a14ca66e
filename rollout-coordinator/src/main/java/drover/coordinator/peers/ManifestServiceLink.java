package drover.coordinator.peers;

import com.google.protobuf.ByteString;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.StopSettings;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The manifest-service, asked once when a rollout is created. Refusals of its own are passed on as
 * {@link drover.kit.grpc.Refused}; when it is away, {@link PeerUnavailable}.
 */
public interface ManifestServiceLink {
    /** A manifest. */
    Manifest fetchManifest(ChainProfileId chain, String upgradeId);

    /** A chain profile. */
    Profile fetchProfile(ChainProfileId chain);

    /** What each node gets, in the order of the nodes. */
    RenderedConfigs render(
            ChainProfileId chain,
            BinaryName binary,
            String targetVersion,
            List<ConfigTemplateChange> changes,
            List<RenderTarget> nodes);

    /**
     * Warnings about a manifest and the profile of its chain, which can be used all the same.
     *
     * @param upgradeId empty for a rollout without a manifest
     */
    default List<Warning> fetchWarnings(ChainProfileId chain, String upgradeId) {
        return List.of();
    }

    /** Something that deserves a look: a stable code and one sentence. */
    record Warning(String code, String sentence) {}

    /**
     * A manifest as far as a rollout needs it.
     *
     * @param url of the artifact for every platform not listed; empty when there is none
     * @param artifacts by platform
     * @param expected failures that do not count towards a threshold
     * @param release signed release that lies beside it, as it is; empty when there is none
     */
    record Manifest(
            String nodeType,
            String binary,
            String targetVersion,
            String url,
            String checksum,
            long size,
            MigrationType migration,
            String recoveryPlan,
            List<ConfigTemplateChange> changes,
            String contentHash,
            Map<String, Artifact> artifacts,
            ExpectedFailureReasons expected,
            ByteString release) {
        public Manifest {
            artifacts = Map.copyOf(artifacts);
        }

        /** Nobody signed it. */
        public Manifest(
                String nodeType,
                String binary,
                String targetVersion,
                String url,
                String checksum,
                long size,
                MigrationType migration,
                String recoveryPlan,
                List<ConfigTemplateChange> changes,
                String contentHash,
                Map<String, Artifact> artifacts,
                ExpectedFailureReasons expected) {
            this(
                    nodeType,
                    binary,
                    targetVersion,
                    url,
                    checksum,
                    size,
                    migration,
                    recoveryPlan,
                    changes,
                    contentHash,
                    artifacts,
                    expected,
                    ByteString.EMPTY);
        }

        /** Artifacts per platform; no failure is expected. */
        public Manifest(
                String nodeType,
                String binary,
                String targetVersion,
                String url,
                String checksum,
                long size,
                MigrationType migration,
                String recoveryPlan,
                List<ConfigTemplateChange> changes,
                String contentHash,
                Map<String, Artifact> artifacts) {
            this(
                    nodeType,
                    binary,
                    targetVersion,
                    url,
                    checksum,
                    size,
                    migration,
                    recoveryPlan,
                    changes,
                    contentHash,
                    artifacts,
                    ExpectedFailureReasons.NONE);
        }

        /** One artifact for every platform. */
        public Manifest(
                String nodeType,
                String binary,
                String targetVersion,
                String url,
                String checksum,
                long size,
                MigrationType migration,
                String recoveryPlan,
                List<ConfigTemplateChange> changes,
                String contentHash) {
            this(
                    nodeType,
                    binary,
                    targetVersion,
                    url,
                    checksum,
                    size,
                    migration,
                    recoveryPlan,
                    changes,
                    contentHash,
                    Map.of());
        }
    }

    /** An artifact of one platform. */
    record Artifact(String url, String checksum, long size) {}

    /**
     * A chain profile as far as a rollout needs it.
     *
     * @param programs by name
     * @param healthWait null when the profile says nothing
     * @param crashLoopRestarts 0 when the profile says nothing
     */
    record Profile(
            String runtime,
            Map<String, ProbeIntervalAndStopTimeout> programs,
            @Nullable Duration healthWait,
            int crashLoopRestarts) {
        public Profile {
            programs = Collections.unmodifiableMap(new LinkedHashMap<>(programs));
        }
    }

    /**
     * Times of a program in a profile.
     *
     * @param longestProbeInterval zero if it has no probes
     * @param stopTimeout how long it may take to stop
     */
    record ProbeIntervalAndStopTimeout(Duration longestProbeInterval, Duration stopTimeout) {
        /** A program that stops as quickly as programs do if nothing is said. */
        public ProbeIntervalAndStopTimeout(Duration longestProbeInterval) {
            this(longestProbeInterval, StopSettings.DEFAULT_TIMEOUT);
        }
    }

    /** A configuration file that changes. */
    record ConfigTemplateChange(String path, String template, Map<String, String> overrides) {}

    /** A node to render for. */
    record RenderTarget(NodeId id, String type, Map<String, String> labels) {}

    /** What all nodes get. */
    record RenderedConfigs(List<RenderedNode> nodes, Map<String, byte[]> contents) {}

    /** What one node gets; the program's serialized specification is passed on unread. */
    @SuppressWarnings("ArrayRecordComponent") // passed on as they are, never compared
    record RenderedNode(
            NodeId node, byte[] program, Digest launch, List<RenderedFileDigest> files) {}

    /** A rendered file. */
    record RenderedFileDigest(NodePath path, Digest digest, long size) {}
}
