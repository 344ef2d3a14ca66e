package drover.coordinator.plan;

import drover.model.Digest;
import drover.model.NodeId;
import drover.model.Version;

/**
 * What one node runs before and shall run, frozen when the rollout is created.
 *
 * @param sourceUrl where the version before came from; empty when only its digest is known
 * @param targetConfig configuration digest that must be there afterwards
 * @param changesConfig whether configuration or launch differ between before and after
 */
public record NodeTarget(
        NodeId node,
        Version sourceVersion,
        Digest sourceDigest,
        Digest sourceConfig,
        String sourceUrl,
        Digest targetConfig,
        boolean changesConfig) {}
