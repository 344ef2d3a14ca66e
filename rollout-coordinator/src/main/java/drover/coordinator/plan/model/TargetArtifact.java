package drover.coordinator.plan.model;

import drover.model.Digest;

/**
 * What is installed on a node.
 *
 * @param size exact size in bytes; 0 when not known
 */
public record TargetArtifact(String url, Digest digest, long size) {}
