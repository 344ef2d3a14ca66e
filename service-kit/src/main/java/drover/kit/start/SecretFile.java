package drover.kit.start;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with a secret in it, which nobody but its owner may read (H14). */
public final class SecretFile {
    private static final int LARGEST = 16 * 1024; // a key as a PEM file has 200 bytes

    private SecretFile() {}

    /**
     * What it says. One that others may read is refused, for it may be theirs by now.
     *
     * @throws IllegalArgumentException with one sentence, in which nothing of the secret stands
     */
    public static String read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            boolean shared =
                    Files.getPosixFilePermissions(file).stream()
                            .anyMatch(right -> !right.name().startsWith("OWNER"));
            if (shared) {
                throw new IllegalArgumentException(
                        file + " can be read by others: chmod 600 it, or make another key.");
            }
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new IllegalArgumentException(file + " is larger than " + LARGEST + " bytes.");
            }
            return new String(bytes, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    file + " cannot be read: check its name and permissions.", e);
        }
    }
}
