package drover.trust.release;

import drover.model.Digest;

/**
 * An artifact of a release.
 *
 * @param platform for example {@code linux/arm64}, or {@link #ANY}
 * @param length exact size in bytes; 0 for a container image, whose digest names its parts
 */
public record ReleaseArtifact(String platform, Digest digest, long length) {
    /** For every platform that has none of its own. */
    public static final String ANY = "any";

    /** Refuses, with {@link NotTrusted}, what is no platform or no length. */
    public ReleaseArtifact {
        if (!platform.equals(ANY) && !platform.matches("[a-z0-9]{1,20}/[a-z0-9_]{1,20}")) {
            throw NotTrusted.malformed("'" + platform + "' is no platform like linux/amd64.");
        }
        if (length < 0) {
            throw NotTrusted.malformed("An artifact's length is at least 0.");
        }
    }
}
