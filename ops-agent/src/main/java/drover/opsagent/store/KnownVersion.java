package drover.opsagent.store;

import drover.model.Digest;

/** A digest that this node was once given, with its name and where it came from. */
public record KnownVersion(Digest digest, String version, String url) {}
