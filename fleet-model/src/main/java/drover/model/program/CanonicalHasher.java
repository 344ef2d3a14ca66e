package drover.model.program;

import drover.model.Digest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Hashes a sequence of texts so that no two different sequences look alike: each is preceded by its
 * length.
 */
final class CanonicalHasher {
    private final MessageDigest hash = Digest.sha256();

    CanonicalHasher add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        hash.update(bytes);
        return this;
    }

    CanonicalHasher add(int number) {
        return add(Integer.toString(number));
    }

    Digest digest() {
        return Digest.ofHash(hash.digest());
    }
}
