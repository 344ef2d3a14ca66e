package drover.opsagent.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * A file with a token, which only its owner may read or write (H14). A mounted secret belongs to
 * root, and one group may read it.
 */
public final class TokenFile {
    private static final String ROOT = "root";

    private TokenFile() {}

    /**
     * Its text.
     *
     * @throws IllegalArgumentException when other users may read or write it
     */
    public static String read(Path file) throws IOException {
        boolean mounted =
                Files.getOwner(file).getName().equals(ROOT)
                        && !ROOT.equals(System.getProperty("user.name"));
        if (isShared(Files.getPosixFilePermissions(file), mounted)) {
            throw new IllegalArgumentException(
                    file
                            + " can be read by other users: run chmod 600 (a mounted secret:"
                            + " defaultMode 0440), and get another token.");
        }
        return Files.readString(file);
    }

    static boolean isShared(Set<PosixFilePermission> rights, boolean mounted) {
        return rights.stream()
                .filter(right -> !right.name().startsWith("OWNER"))
                .anyMatch(right -> !(mounted && right == PosixFilePermission.GROUP_READ));
    }
}
