package drover.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * SHA-256 of some bytes, written {@code sha256:<64 hexadecimal digits>}. Versions are words;
 * digests are proof.
 */
public record Digest(String value) implements Comparable<Digest> {
    private static final Pattern GRAMMAR = Pattern.compile("sha256:[0-9a-f]{64}");

    /**
     * Refuses, with {@link MalformedValue}, anything but {@code sha256:} and 64 lower-case
     * hexadecimal digits.
     */
    public Digest {
        MalformedValue.requireMatch(GRAMMAR, value, "sha256: and 64 lower-case hexadecimal digits");
    }

    /** The digest of these bytes. */
    public static Digest of(byte[] bytes) {
        return ofHash(sha256().digest(bytes));
    }

    /** The digest of this text in UTF-8. */
    public static Digest of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Names a finished SHA-256 hash of 32 bytes. */
    public static Digest ofHash(byte[] hash) {
        return new Digest("sha256:" + HexFormat.of().formatHex(hash));
    }

    /** A new SHA-256 computation, for bytes that come in pieces. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }

    /** The first 12 hexadecimal digits, for tables that people read. */
    public String shortHex() {
        return value.substring("sha256:".length(), "sha256:".length() + 12);
    }

    @Override
    public int compareTo(Digest other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
