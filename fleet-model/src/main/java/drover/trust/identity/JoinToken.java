package drover.trust.identity;

import drover.model.Digest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What lets a machine become a node: {@code jt1.<id>.<secret>.<pin of the authority>}. It is shown
 * once, when it is made; the mesh keeps the SHA-256 of the secret.
 *
 * @param id by which people speak of it
 */
public record JoinToken(String id, String secret, SpkiPin pin) {
    private static final Pattern GRAMMAR =
            Pattern.compile("jt1\\.([a-z0-9]{16})\\.([A-Za-z0-9_-]{43})\\.([A-Za-z0-9_-]{43})");
    private static final int SECRET_BYTES = 32;
    private static final int ID_BYTES = 8;

    /** A new token of this authority. */
    public static JoinToken create(SecureRandom random, SpkiPin pin) {
        byte[] id = new byte[ID_BYTES];
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        return new JoinToken(
                HexFormat.of().formatHex(id),
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                pin);
    }

    /**
     * Reads a token.
     *
     * @throws IllegalArgumentException with one sentence that does not repeat it
     */
    public static JoinToken parse(String text) {
        Matcher read = GRAMMAR.matcher(text.strip());
        if (!read.matches()) {
            throw new IllegalArgumentException(
                    "It is no join token; one is made with: ./drover token create");
        }
        return new JoinToken(read.group(1), read.group(2), new SpkiPin(read.group(3)));
    }

    /** What is kept of the secret. */
    public Digest secretDigest() {
        return Digest.of(secret);
    }

    /** The token itself: shown once, to whoever made it. */
    public String text() {
        return "jt1." + id + "." + secret + "." + pin;
    }

    /** Never the secret (H14). */
    @Override
    public String toString() {
        return "JoinToken[" + id + "]";
    }
}
