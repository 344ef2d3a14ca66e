package drover.opsagent.journal;

import drover.model.Digest;
import drover.model.NodePath;

/** A managed configuration file, by the digest of its content. */
public record ConfigFile(NodePath path, Digest digest) {}
