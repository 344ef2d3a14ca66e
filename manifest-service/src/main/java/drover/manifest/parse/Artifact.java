package drover.manifest.parse;

import drover.model.Digest;

/**
 * An artifact.
 *
 * @param url {@code http}, {@code https} or {@code file} address, or an image pinned by digest
 * @param size in bytes; 0 when not given
 */
public record Artifact(String url, Digest checksum, long size) {}
