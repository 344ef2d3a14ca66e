package drover.coordinator.access;

import drover.model.Digest;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a key, {@code ak1.<id>.<32 random bytes, base64url>}. The prefix lets scanners of
 * source code find one that has strayed. Its {@code toString} hides the secret, so that a log
 * cannot tell it (invariant H14).
 *
 * @param id which key it claims to be
 * @param value the text itself
 */
public record PlaintextApiKey(String id, String value) {
    /** What every key begins with; a token cannot. */
    public static final String PREFIX = "ak1.";

    /** How many random bytes a key has: nobody guesses 256 bits. */
    public static final int SECRET_BYTES = 32;

    private static final String ID = "[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?";
    private static final Pattern ID_ALONE = Pattern.compile(ID);
    private static final Pattern GRAMMAR =
            Pattern.compile("ak1\\.(" + ID + ")\\.([A-Za-z0-9_-]{43})");

    /** Whether a key may have this id. */
    public static boolean isValidId(String text) {
        return ID_ALONE.matcher(text).matches();
    }

    /** A key of this id, from random bytes. */
    public static PlaintextApiKey of(String id, byte[] random) {
        if (random.length != SECRET_BYTES || !isValidId(id)) {
            throw new IllegalArgumentException("A key has a proper id, and 32 random bytes");
        }
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        return new PlaintextApiKey(id, PREFIX + id + "." + secret);
    }

    /** Reads a key; nothing when the text has another form. */
    public static Optional<PlaintextApiKey> parse(String text) {
        Matcher key = GRAMMAR.matcher(text);
        return key.matches()
                ? Optional.of(new PlaintextApiKey(key.group(1), text))
                : Optional.empty();
    }

    /** What is kept of it. */
    public Digest digest() {
        return Digest.of(value);
    }

    @Override
    public String toString() {
        return PREFIX + id + ".(secret)";
    }
}
