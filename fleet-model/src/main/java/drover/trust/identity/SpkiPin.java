package drover.trust.identity;

import drover.model.Digest;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * The SHA-256 of an authority's public key, by which a node knows it before it has any certificate.
 * Written in 43 characters of base64 for addresses.
 */
public record SpkiPin(String value) {
    private static final Pattern GRAMMAR = Pattern.compile("[A-Za-z0-9_-]{43}");

    /**
     * Refuses anything but the written form.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public SpkiPin {
        if (!GRAMMAR.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "The pin of an authority is 43 characters of base64.");
        }
    }

    /** The pin of this authority's key. */
    public static SpkiPin of(X509Certificate authority) {
        return of(authority.getPublicKey());
    }

    /** The pin of this key. */
    public static SpkiPin of(PublicKey key) {
        byte[] hash = Digest.sha256().digest(key.getEncoded());
        return new SpkiPin(Base64.getUrlEncoder().withoutPadding().encodeToString(hash));
    }

    @Override
    public String toString() {
        return value;
    }
}
