package drover.opsagent.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A directory that is held open, reached from the jail one component at a time without following a
 * link. What is done in it is done in this very directory, even when its path leads elsewhere by
 * now: there is no moment between looking and doing (H11).
 */
final class HeldDirectory implements AutoCloseable {
    /** A file that must not exist. */
    static final Set<OpenOption> NEW_FILE =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);

    /** For its writer alone until it is renamed (H12). */
    static final FileAttribute<Set<PosixFilePermission>> OWNER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final SecureDirectoryStream<Path> stream;

    private HeldDirectory(SecureDirectoryStream<Path> stream) {
        this.stream = stream;
    }

    /** Opens a directory of the jail, or the jail itself. */
    @SuppressWarnings("StreamResourceLeak") // each but the last is closed, the last is what is held
    static HeldDirectory of(Path jail, Path directory) throws IOException {
        SecureDirectoryStream<Path> at = secure(Files.newDirectoryStream(jail), jail);
        if (directory.equals(jail)) {
            return new HeldDirectory(at);
        }
        for (Path part : jail.relativize(directory)) {
            try (SecureDirectoryStream<Path> above = at) {
                at = above.newDirectoryStream(part, LinkOption.NOFOLLOW_LINKS);
            }
        }
        return new HeldDirectory(at);
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> opened, Path jail)
            throws IOException {
        if (opened instanceof SecureDirectoryStream<Path> stream) {
            return stream;
        }
        opened.close();
        throw new FileSystemException(
                jail.toString(), null, "this file system cannot hold directories open");
    }

    FileChannel create(Path name) throws IOException {
        return (FileChannel) stream.newByteChannel(name, NEW_FILE, OWNER_ALONE);
    }

    InputStream read(Path name) throws IOException {
        return Channels.newInputStream(
                stream.newByteChannel(
                        name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)));
    }

    PosixFileAttributeView attributes(Path name) {
        return stream.getFileAttributeView(
                name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    }

    /** Replaces what is there. */
    void rename(Path from, Path to) throws IOException {
        stream.move(from, stream, to);
    }

    void delete(Path name) throws IOException {
        try {
            stream.deleteFile(name);
        } catch (NoSuchFileException _) {
            // gone already
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
