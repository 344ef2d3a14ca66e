package drover.gateway.identity;

import drover.model.Digest;

/** What somebody was let in with. A stream lives no longer than what it began with counts. */
public sealed interface StreamCredential {
    /** {@code certificate} or {@code token}. */
    String kind();

    /**
     * A certificate.
     *
     * @param serial in hexadecimal
     */
    record Certificate(String serial) implements StreamCredential {
        @Override
        public String kind() {
            return "certificate";
        }
    }

    /** A node's token, of which only the digest is ever kept. */
    record NodeTokenDigest(Digest sha256) implements StreamCredential {
        @Override
        public String kind() {
            return "token";
        }
    }
}
