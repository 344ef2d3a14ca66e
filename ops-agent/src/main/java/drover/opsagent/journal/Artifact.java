package drover.opsagent.journal;

import drover.model.Digest;

/**
 * What to install, named by its digest.
 *
 * @param size exact size in bytes; 0 when not known
 */
public record Artifact(String url, Digest digest, long size) {}
