package drover.standalone.signing;

import drover.kit.config.UntrimmedSecretFile;
import drover.localenv.AtomicFileWriter;
import drover.localenv.UserFacingError;
import drover.trust.release.SigningKey;
import drover.trust.release.VerifyingKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Ed25519 keys in PEM files: the private half for its owner alone, the public one beside it. */
public final class KeyFiles {
    private static final int LARGEST = 16 * 1024; // a PEM file has 200 bytes

    private KeyFiles() {}

    /** Makes a key: the private half in {@code file}, the public one in {@code file.pub}. */
    public static SigningKey create(Path file) {
        for (Path half : new Path[] {file, publicKeyFile(file)}) {
            if (Files.exists(half)) {
                throw new UserFacingError(
                        half + " is there already: name another file, keys are kept.");
            }
        }
        SigningKey key = SigningKey.create();
        AtomicFileWriter.writeSecret(file, key.pem());
        AtomicFileWriter.write(publicKeyFile(file), key.verifyingKey().pem());
        return key;
    }

    /** Where the public half of a key lies. */
    public static Path publicKeyFile(Path file) {
        return file.resolveSibling(file.getFileName() + ".pub");
    }

    /** Reads a private key; one that others may read is refused, for it may be theirs by now. */
    public static SigningKey loadSigningKey(Path file) {
        String text = readSecret(file);
        try {
            return SigningKey.fromPem(text);
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(file + " holds no private Ed25519 key in PEM form.", e);
        }
    }

    /** Reads a private key, or makes it when there is none yet. */
    public static SigningKey loadOrCreate(Path file) {
        return Files.exists(file) ? loadSigningKey(file) : create(file);
    }

    private static String readSecret(Path file) {
        try {
            return UntrimmedSecretFile.read(file);
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(String.valueOf(e.getMessage()), e);
        }
    }

    /** Reads a public key. */
    public static VerifyingKey loadVerifyingKey(Path file) {
        try {
            return VerifyingKey.fromPem(readText(file));
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(file + " holds no public Ed25519 key in PEM form.", e);
        }
    }

    private static String readText(Path file) {
        return new String(readBytes(file, LARGEST), java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** The bytes of a file that may have so many of them. */
    static byte[] readBytes(Path file, int most) {
        try (var in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new UserFacingError(file + " is larger than " + most + " bytes.");
            }
            return bytes;
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static UserFacingError unreadable(Path file, IOException e) {
        return new UserFacingError(file + " cannot be read: check its name and permissions.", e);
    }
}
