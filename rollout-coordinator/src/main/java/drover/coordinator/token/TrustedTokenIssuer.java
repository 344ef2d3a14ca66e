package drover.coordinator.token;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Whose tokens are taken.
 *
 * @param issuer what their {@code iss} says
 * @param audience what their {@code aud} names
 * @param keys where its public keys are, as a JWK set: a file, or an address
 */
public record TrustedTokenIssuer(String issuer, String audience, URI keys) {
    private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");

    public TrustedTokenIssuer {
        String scheme = String.valueOf(keys.getScheme());
        boolean safe =
                scheme.equals("file")
                        || scheme.equals("https")
                        || (scheme.equals("http") && HERE.contains(String.valueOf(keys.getHost())));
        if (!safe) {
            throw new IllegalArgumentException(
                    "The keys of tokens come from a file or an https address: whoever changes them"
                            + " on the way would be everybody.");
        }
        if (issuer.isBlank() || audience.isBlank()) {
            throw new IllegalArgumentException(
                    "Tokens need an issuer and an audience: --jwt-issuer, --jwt-audience.");
        }
    }

    /**
     * Reads what flags say.
     *
     * @param keys an address, or the path of a file
     * @throws IllegalArgumentException with one sentence when they make no sense
     */
    public static TrustedTokenIssuer of(String issuer, String audience, String keys) {
        if (keys.isBlank()) {
            throw new IllegalArgumentException(
                    "Tokens need the issuer's public keys: --jwt-keys FILE or URL.");
        }
        return new TrustedTokenIssuer(
                issuer,
                audience,
                keys.matches("[a-z]+://.*") ? parseAddress(keys) : toFileUri(keys));
    }

    private static URI parseAddress(String keys) {
        try {
            return URI.create(keys);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--jwt-keys " + keys + " is no address.", e);
        }
    }

    private static URI toFileUri(String keys) {
        try {
            Path file = Path.of(keys).toAbsolutePath();
            if (Files.isReadable(file) && Files.isRegularFile(file)) {
                return file.toUri();
            }
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("--jwt-keys " + keys + " is no path.", e);
        }
        throw new IllegalArgumentException(
                "There is no file " + keys + " for --jwt-keys that can be read.");
    }
}
