package drover.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * SHA-256 of some bytes, written {@code sha256:<64 hexadecimal digits>}. Versions are words;
 * digests are proof.
 */
public record Digest(String value) implements Comparable<Digest> {
    private static final String PREFIX = "sha256:";
    private static final int LENGTH = PREFIX.length() + 64;

    /**
     * Refuses, with {@link MalformedValue}, anything but {@code sha256:} and 64 lower-case
     * hexadecimal digits.
     */
    public Digest {
        if (!isValid(value)) {
            throw MalformedValue.forValue(value, "sha256: and 64 lower-case hexadecimal digits");
        }
    }

    /** Not a pattern, which is slower: each report and each stored row has digests. */
    private static boolean isValid(String value) {
        if (value.length() != LENGTH || !value.startsWith(PREFIX)) {
            return false;
        }
        for (int i = PREFIX.length(); i < LENGTH; i++) {
            char digit = value.charAt(i);
            if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) {
                return false;
            }
        }
        return true;
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
        return new Digest(PREFIX + HexFormat.of().formatHex(hash));
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
