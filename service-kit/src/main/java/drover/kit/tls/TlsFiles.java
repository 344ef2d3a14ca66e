package drover.kit.tls;

import drover.kit.config.UntrimmedSecretFile;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the parts of an identity lie, each a PEM file.
 *
 * @param chain the leaf first, then what leads to an authority
 * @param key of the leaf, as PKCS #8
 * @param trust certificates of authorities
 */
public record TlsFiles(Path chain, Path key, Path trust) {
    /** Far more than chains of three need. */
    private static final int LARGEST = 256 * 1024;

    /** In a directory, under the names {@code chain.pem}, {@code key.pem} and {@code trust.pem}. */
    public static TlsFiles in(Path directory) {
        return new TlsFiles(
                directory.resolve("chain.pem"),
                directory.resolve("key.pem"),
                directory.resolve("trust.pem"));
    }

    /**
     * Reads all three. A key that others may read is refused, for it may be theirs by now.
     *
     * @throws InvalidTlsFiles with one sentence
     */
    Contents read() {
        return new Contents(readText(chain), readSecret(key), readText(trust));
    }

    private static String readSecret(Path file) {
        try {
            return UntrimmedSecretFile.read(file);
        } catch (IllegalArgumentException e) {
            throw new InvalidTlsFiles(String.valueOf(e.getMessage()), e);
        }
    }

    private static String readText(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw new InvalidTlsFiles(file + " is larger than any certificate file.", null);
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1); // PEM is ASCII
        } catch (IOException e) {
            throw new InvalidTlsFiles(file + " cannot be read.", e);
        }
    }

    /** What the files held at one moment. */
    record Contents(String chain, String key, String trust) {
        TlsKeyChainAndTrust parse() {
            try {
                return TlsKeyChainAndTrust.parse(chain, key, trust);
            } catch (IllegalArgumentException e) {
                throw new InvalidTlsFiles(String.valueOf(e.getMessage()), null);
            }
        }

        /** Never the key (H14). */
        @Override
        public String toString() {
            return "Contents";
        }
    }
}
