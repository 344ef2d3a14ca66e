package drover.coordinator.plan.model;

import drover.model.Digest;
import drover.model.NodeId;
import drover.model.Version;
import java.util.Comparator;
import java.util.Optional;

/**
 * What one node runs before and shall run, frozen when the rollout is created.
 *
 * @param sourceUrl where the version before came from; empty when only its digest is known
 * @param targetConfig configuration digest that must be there afterwards
 * @param changesConfig whether configuration or launch differ between before and after
 * @param platform operating system and architecture, such as {@code linux/arm64}; empty when its
 *     agent never said
 * @param wayBack how what ran before would be brought back
 * @param position place in the order of the rollout; nodes with equal positions follow their ids
 */
public record NodeTarget(
        NodeId node,
        Version sourceVersion,
        Digest sourceDigest,
        Digest sourceConfig,
        String sourceUrl,
        Digest targetConfig,
        boolean changesConfig,
        String platform,
        RestoreSource wayBack,
        int position) {
    /** Order in which the nodes of a rollout are upgraded, see {@link NodeOrder}. */
    public static final Comparator<NodeTarget> ORDER =
            Comparator.comparingInt(NodeTarget::position).thenComparing(NodeTarget::node);

    /** Decisions recorded by earlier versions lack the last three: the position is 0. */
    public NodeTarget {
        platform = platform == null ? "" : platform;
        wayBack = wayBack == null ? RestoreSource.BACKUP : wayBack;
    }

    /** A node of whatever platform, with an agent that keeps backups. */
    public NodeTarget(
            NodeId node,
            Version sourceVersion,
            Digest sourceDigest,
            Digest sourceConfig,
            String sourceUrl,
            Digest targetConfig,
            boolean changesConfig) {
        this(
                node,
                sourceVersion,
                sourceDigest,
                sourceConfig,
                sourceUrl,
                targetConfig,
                changesConfig,
                "",
                RestoreSource.BACKUP,
                0);
    }

    /** What it shall run; empty when the rollout has nothing for its platform. */
    public Optional<TargetArtifact> artifact(RolloutSpec spec) {
        return spec.artifactForOrAny(platform);
    }

    /** Whether this is the digest that it shall run. */
    public boolean isTargetDigest(RolloutSpec spec, String digest) {
        return artifact(spec).map(a -> a.digest().value().equals(digest)).orElse(false);
    }

    /**
     * What to install anew where there is no backup: only when the address is known and
     * configuration stays as it is, or old bytes would run under new files (invariant D3).
     */
    public Optional<TargetArtifact> reinstallableArtifact() {
        return sourceUrl.isEmpty() || changesConfig
                ? Optional.empty()
                : Optional.of(new TargetArtifact(sourceUrl, sourceDigest, 0));
    }
}
