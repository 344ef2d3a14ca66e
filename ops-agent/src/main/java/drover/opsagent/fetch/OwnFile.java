package drover.opsagent.fetch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * Reads files that this node was given by its owner. One that anybody but root and the agent's own
 * user may change is refused; one that holds a secret also when others may read it.
 */
final class OwnFile {
    private static final int LARGEST = 64 * 1024;
    private static final int LONGEST_SECRET = 8 * 1024; // the longest header that servers take
    private static final String AGENT = System.getProperty("user.name");

    private OwnFile() {}

    /**
     * A file that others may read.
     *
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    static byte[] read(Path file) {
        return read(file, AGENT, true);
    }

    /**
     * A file for the agent's eyes.
     *
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    static byte[] readPrivate(Path file) {
        return read(file, AGENT, false);
    }

    /**
     * The one line of a private file, of characters that a header may carry. It is never part of a
     * message (H14).
     */
    static String secret(Path file) {
        String line = new String(readPrivate(file), StandardCharsets.UTF_8).strip();
        boolean carried = line.chars().allMatch(c -> c >= ' ' && c <= '~');
        if (line.isEmpty() || line.length() > LONGEST_SECRET || !carried) {
            throw new IllegalArgumentException(
                    file + " must hold one line of printable ASCII: write the secret alone in it.");
        }
        return line;
    }

    static byte[] read(Path file, String agent, boolean othersMayRead) {
        if (!file.isAbsolute()) {
            throw new IllegalArgumentException(file + " is no absolute path: write it in full.");
        }
        Path at = file.normalize();
        for (Path above = at.getParent(); above != null; above = above.getParent()) {
            requireDirectory(above, agent);
        }
        requireFile(at, agent, othersMayRead);
        try {
            if (Files.size(at) > LARGEST) {
                throw new IllegalArgumentException(
                        at + " is larger than " + LARGEST + " bytes: shorten it.");
            }
            return Files.readAllBytes(at);
        } catch (IOException e) {
            throw new IllegalArgumentException(at + " cannot be read: see who may read it.", e);
        }
    }

    /** One in which others may only make files of their own, as in /tmp, is no danger. */
    private static void requireDirectory(Path directory, String agent) {
        PosixFileAttributes found = look(directory);
        boolean kept = isSticky(directory) || !othersMayWrite(found);
        if (!found.isDirectory() || !isOf(agent, found) || !kept) {
            throw new IllegalArgumentException(
                    directory
                            + " must be a plain directory of root or "
                            + agent
                            + " that nobody else may write.");
        }
    }

    private static void requireFile(Path file, String agent, boolean othersMayRead) {
        PosixFileAttributes found = look(file);
        boolean kept = othersMayRead ? !othersMayWrite(found) : isOwnersAlone(found);
        if (!found.isRegularFile() || !isOf(agent, found) || !kept) {
            throw new IllegalArgumentException(
                    file
                            + " must be a plain file of root or "
                            + agent
                            + " that nobody else may "
                            + (othersMayRead ? "write." : "read: give it mode 0600."));
        }
    }

    private static PosixFileAttributes look(Path path) {
        try {
            return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new IllegalArgumentException(path + " cannot be looked at: is it there?", e);
        }
    }

    private static boolean isSticky(Path directory) {
        try {
            return ((int) Files.getAttribute(directory, "unix:mode") & 01000) != 0;
        } catch (IOException e) {
            throw new IllegalArgumentException(directory + " cannot be looked at.", e);
        }
    }

    private static boolean isOf(String agent, PosixFileAttributes found) {
        String owner = found.owner().getName();
        return owner.equals("root") || owner.equals(agent);
    }

    private static boolean isOwnersAlone(PosixFileAttributes found) {
        return Set.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.OWNER_EXECUTE)
                .containsAll(found.permissions());
    }

    private static boolean othersMayWrite(PosixFileAttributes found) {
        return found.permissions().contains(PosixFilePermission.GROUP_WRITE)
                || found.permissions().contains(PosixFilePermission.OTHERS_WRITE);
    }
}
