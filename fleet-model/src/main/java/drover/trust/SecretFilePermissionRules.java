package drover.trust;

import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * Rule for files with a secret: only the owner may read or change them (H14). The group may read
 * them, too, if root chose that group: root's own group; or, if root owns the file, the reader's
 * primary group, and any group if the reader is not root ({@code fsGroup} of Kubernetes). Another
 * owner may choose a group with many members, so the reader's primary group alone is not enough.
 */
public final class SecretFilePermissionRules {
    private static final int ROOT = 0; // user and group

    private SecretFilePermissionRules() {}

    /**
     * Numbers of a user and a group.
     *
     * @param user owner of a file, or user of a process
     * @param group of a file, or primary group of a process
     */
    public record UserAndGroupIds(int user, int group) {}

    /** Whether users other than the owner can read or change a file against the rule. */
    public static boolean isTooOpen(
            Set<PosixFilePermission> permissions, UserAndGroupIds file, UserAndGroupIds reader) {
        boolean groupMayRead =
                file.group() == ROOT
                        || (file.user() == ROOT
                                && (reader.user() != ROOT || file.group() == reader.group()));
        return permissions.stream()
                .filter(permission -> !permission.name().startsWith("OWNER"))
                .anyMatch(
                        permission ->
                                !(groupMayRead && permission == PosixFilePermission.GROUP_READ));
    }
}
