package drover.opsagent.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Owner and permissions of a file, kept when it is replaced (D11).
 *
 * @param permissions for example {@code rwxr-xr-x}
 * @param owner user name; empty for whoever writes
 * @param group group name; empty for whoever writes
 */
public record FileAttributes(String permissions, String owner, String group) {
    /** A program. */
    public static final FileAttributes PROGRAM = new FileAttributes("rwxr-xr-x", "", "");

    /** A configuration file. */
    public static final FileAttributes CONFIG = new FileAttributes("rw-r--r--", "", "");

    /** A file of the agent's own. */
    public static final FileAttributes PRIVATE = new FileAttributes("rw-------", "", "");

    /** Of what is at a path of this machine. */
    static FileAttributes of(Path path, LinkOption... options) throws IOException {
        PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class, options);
        return new FileAttributes(
                PosixFilePermissions.toString(found.permissions()),
                found.owner().getName(),
                found.group().getName());
    }

    /** Gives it to a file of this machine: the owner first, for who it is may take rights away. */
    void applyTo(Path file, LinkOption... options) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class, options);
        PosixFileAttributes made = view.readAttributes();
        var principals = file.getFileSystem().getUserPrincipalLookupService();
        if (!owner.isEmpty() && !owner.equals(made.owner().getName())) {
            view.setOwner(principals.lookupPrincipalByName(owner));
        }
        if (!group.isEmpty() && !group.equals(made.group().getName())) {
            view.setGroup(principals.lookupPrincipalByGroupName(group));
        }
        view.setPermissions(PosixFilePermissions.fromString(permissions));
    }
}
