package drover.opsagent.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A file that this node was given by its owner. It is read only when nobody else can have written
 * it: a plain file behind no link, of a trusted owner, in directories of trusted owners, none of
 * which others may write (H11, H14).
 *
 * @param path made absolute and normal: no part of it is a way round the directories above
 * @param owners names of users, one of whom must own the file; directories may also be root's
 * @param secret whether others may not even read it
 */
public record OwnerCheckingFileReader(Path path, List<String> owners, boolean secret) {
    private static final String ROOT = "root";

    public OwnerCheckingFileReader {
        path = path.toAbsolutePath().normalize();
        owners = List.copyOf(owners);
    }

    /**
     * Its bytes.
     *
     * @param most bytes it may have
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    public byte[] read(int most) {
        requireProtected();
        try {
            if (Files.size(path) > most) {
                throw new IllegalArgumentException(
                        path + " is larger than " + most + " bytes: shorten it.");
            }
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new IllegalArgumentException(path + " cannot be read: see who may read it.", e);
        }
    }

    /**
     * Checks owners and modes of the file and of the directories above.
     *
     * @throws IllegalArgumentException with one sentence that says what to change
     */
    public void requireProtected() {
        List<String> above = Stream.concat(owners.stream(), Stream.of(ROOT)).distinct().toList();
        for (Path at = path.getParent(); at != null; at = at.getParent()) {
            requireProtectedDirectory(at, above);
        }
        requireProtectedFile();
    }

    /** One in which others may only make files of their own, as in /tmp, is no danger. */
    private static void requireProtectedDirectory(Path directory, List<String> owners) {
        PosixFileAttributes found = readAttributes(directory);
        boolean kept = isSticky(directory) || !othersMayWrite(found);
        if (!found.isDirectory() || !isOwnedBy(owners, found) || !kept) {
            throw new IllegalArgumentException(
                    directory
                            + " must be a plain directory of "
                            + String.join(" or ", owners)
                            + " that nobody else may write.");
        }
    }

    private void requireProtectedFile() {
        PosixFileAttributes found = readAttributes(path);
        boolean kept = secret ? isOwnerOnly(found) : !othersMayWrite(found);
        if (!found.isRegularFile() || !isOwnedBy(owners, found) || !kept) {
            throw new IllegalArgumentException(
                    path
                            + " must be a plain file of "
                            + String.join(" or ", owners)
                            + " that nobody else may "
                            + (secret ? "read: give it mode 0600." : "write."));
        }
    }

    private static PosixFileAttributes readAttributes(Path path) {
        try {
            return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    path + " cannot be looked at: see whether it is there.", e);
        }
    }

    private static boolean isSticky(Path directory) {
        try {
            return ((int) Files.getAttribute(directory, "unix:mode") & 01000) != 0;
        } catch (IOException e) {
            throw new IllegalArgumentException(directory + " cannot be looked at.", e);
        }
    }

    private static boolean isOwnedBy(List<String> owners, PosixFileAttributes found) {
        return owners.contains(found.owner().getName());
    }

    private static boolean isOwnerOnly(PosixFileAttributes found) {
        return EnumSet.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.OWNER_EXECUTE)
                .containsAll(found.permissions());
    }

    private static boolean othersMayWrite(PosixFileAttributes found) {
        Set<PosixFilePermission> rights = found.permissions();
        return rights.contains(PosixFilePermission.GROUP_WRITE)
                || rights.contains(PosixFilePermission.OTHERS_WRITE);
    }
}
