package drover.opsagent.disk;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Map;
import java.util.Objects;

/** Reads and writes the attributes of a file of this machine; a link is followed. */
final class FileAttributeAccess {
    private static final String MODE = "unix:mode";

    private FileAttributeAccess() {}

    static FileAttributes read(Path file) throws IOException {
        PosixFileAttributes found = Files.readAttributes(file, PosixFileAttributes.class);
        return new FileAttributes(
                FileModeText.toText(mode(file)),
                found.owner().getName(),
                found.group().getName(),
                ExtendedAttributeAccess.read(file),
                found.lastModifiedTime().toInstant());
    }

    private static int mode(Path file) throws IOException {
        return (int) Objects.requireNonNull(Files.getAttribute(file, MODE));
    }

    /**
     * Gives a file its attributes. The owner comes first, because a change of it takes special bits
     * and capabilities away; an access control list comes after the permissions that it refines;
     * the time comes last.
     *
     * @throws FileSystemException that names the attribute and the reason of the system
     */
    static void write(Path file, FileAttributes wanted) throws IOException {
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class);
        PosixFileAttributes present = view.readAttributes();
        UserPrincipalLookupService names = file.getFileSystem().getUserPrincipalLookupService();
        String owner = wanted.owner();
        if (!owner.isEmpty() && !owner.equals(present.owner().getName())) {
            assign(
                    file,
                    "the owner " + owner,
                    () -> view.setOwner(names.lookupPrincipalByName(owner)));
        }
        String group = wanted.group();
        if (!group.isEmpty() && !group.equals(present.group().getName())) {
            assign(
                    file,
                    "the group " + group,
                    () -> view.setGroup(names.lookupPrincipalByGroupName(group)));
        }
        int mode = FileModeText.parse(wanted.permissions());
        assign(
                file,
                "the permissions " + wanted.permissions(),
                () -> Files.setAttribute(file, MODE, mode));
        Map<String, String> extended = wanted.extended();
        if (extended != null) {
            ExtendedAttributeAccess.write(file, extended);
        }
        if (wanted.modified() != null) {
            FileTime time = FileTime.from(wanted.modified());
            assign(file, "the time " + time, () -> Files.setLastModifiedTime(file, time));
        }
    }

    private interface AttributeSetter {
        void run() throws IOException;
    }

    private static void assign(Path file, String what, AttributeSetter assignment)
            throws IOException {
        try {
            assignment.run();
        } catch (UserPrincipalNotFoundException e) {
            throw refusal(file, what, "this machine does not know the name");
        } catch (FileSystemException e) {
            throw refusal(file, what, IOExceptionReasons.reason(e));
        }
    }

    private static IOException refusal(Path file, String what, String reason) {
        return new FileSystemException(
                file.toString(), null, "it cannot be given " + what + ": " + reason);
    }
}
