package drover.kit.start;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * A file with a secret in it, which nobody but its owner may read (H14). A cluster that mounts a
 * secret keeps the file root's own and lets one group read it, which is how the reader gets at it
 * ({@code fsGroup} of Kubernetes): that is as good.
 */
public final class SecretFile {
    private static final int LARGEST = 16 * 1024; // a key as a PEM file has 200 bytes

    private static final String ROOT = "root";

    private SecretFile() {}

    /**
     * What it says. One that others may read is refused, for it may be theirs by now.
     *
     * @throws IllegalArgumentException with one sentence, in which nothing of the secret stands
     */
    public static String read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            if (isShared(Files.getPosixFilePermissions(file), isGivenByRoot(file))) {
                throw new IllegalArgumentException(
                        file
                                + " can be read by others: chmod 600 it (a mounted secret:"
                                + " defaultMode 0440), or make another key.");
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

    /** Whether somebody may read or change it who is neither its owner nor meant to. */
    static boolean isShared(Set<PosixFilePermission> rights, boolean givenByRoot) {
        return rights.stream()
                .filter(right -> !right.name().startsWith("OWNER"))
                .anyMatch(right -> !(givenByRoot && right == PosixFilePermission.GROUP_READ));
    }

    /** Root can read it in any case; who is not root can do so by the group alone. */
    private static boolean isGivenByRoot(Path file) throws IOException {
        return Files.getOwner(file).getName().equals(ROOT)
                && !ROOT.equals(System.getProperty("user.name"));
    }
}
