package drover.kit.start;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * File with a secret, which only its owner may read (H14). The group may read it, too, if that
 * gives the secret to no other user: the group is root's or the reader's primary group, or root
 * gave the file to a reader that is not root ({@code fsGroup} of Kubernetes).
 */
public final class SecretFile {
    private static final int LARGEST = 16 * 1024; // a key as a PEM file has 200 bytes

    private static final int ROOT = 0; // user and group

    private static final Path READER = Path.of("/proc/self");

    private SecretFile() {}

    /**
     * What it says. One that others may read is refused, for it may be theirs by now.
     *
     * @throws IllegalArgumentException with one sentence, in which nothing of the secret stands
     */
    public static String read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            if (isShared(Files.getPosixFilePermissions(file), mayGroupRead(file))) {
                throw new IllegalArgumentException(
                        file
                                + " can be read by others: chmod 600 it (a mounted secret:"
                                + " defaultMode 0440 and a group of root or of this user alone),"
                                + " or make another key.");
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

    /** Whether a user may read or change it who is neither its owner nor meant to. */
    static boolean isShared(Set<PosixFilePermission> rights, boolean groupMayRead) {
        return rights.stream()
                .filter(right -> !right.name().startsWith("OWNER"))
                .anyMatch(right -> !(groupMayRead && right == PosixFilePermission.GROUP_READ));
    }

    private static boolean mayGroupRead(Path file) throws IOException {
        int group = number(file, "gid");
        boolean isRoot = number(READER, "uid") == ROOT;
        return group == ROOT
                || group == number(READER, "gid")
                || (number(file, "uid") == ROOT && !isRoot);
    }

    private static int number(Path file, String name) throws IOException {
        return (int) Files.getAttribute(file, "unix:" + name);
    }
}
