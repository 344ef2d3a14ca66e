package drover.kit.config;

import drover.trust.SecretFilePermissionRules;
import drover.trust.SecretFilePermissionRules.UserAndGroupIds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** File with a secret, which other users may not read ({@link SecretFilePermissionRules}, H14). */
public final class UntrimmedSecretFile {
    private static final int LARGEST = 16 * 1024; // a key as a PEM file has 200 bytes

    private static final Path READER = Path.of("/proc/self");

    private UntrimmedSecretFile() {}

    /**
     * Reads the secret.
     *
     * @throws IllegalArgumentException when other users may read or change the file; the message
     *     contains nothing of the secret
     */
    public static String read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            if (SecretFilePermissionRules.isTooOpen(
                    Files.getPosixFilePermissions(file),
                    readOwnerIds(file),
                    readOwnerIds(READER))) {
                throw new IllegalArgumentException(
                        file
                                + " can be read by others: run chmod 600. A mounted secret needs"
                                + " defaultMode 0440, and no fsGroup if this service runs as root."
                                + " If other users have read the secret, replace it.");
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

    private static UserAndGroupIds readOwnerIds(Path file) throws IOException {
        return new UserAndGroupIds(
                (int) Files.getAttribute(file, "unix:uid"),
                (int) Files.getAttribute(file, "unix:gid"));
    }
}
