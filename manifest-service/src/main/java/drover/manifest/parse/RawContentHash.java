package drover.manifest.parse;

import drover.model.Digest;

/** The hash that names a file: SHA-256 over its raw bytes, comments and spaces included. */
public final class RawContentHash {
    private RawContentHash() {}

    /** The hash of these bytes (seed 000: {@code manifest_content_hash}). */
    public static Digest of(byte[] rawBytes) {
        return Digest.of(rawBytes);
    }
}
