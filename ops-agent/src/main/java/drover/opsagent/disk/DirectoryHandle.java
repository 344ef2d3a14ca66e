package drover.opsagent.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A directory that is held open, reached from the jail one component at a time without following a
 * link. What is done in it is done in this very directory, even when its path leads elsewhere by
 * now: there is no moment between looking and doing (H11). Nothing is opened that is no plain file,
 * for a pipe would never let go of whoever opens it.
 */
final class DirectoryHandle implements AutoCloseable {
    private final NativeFileDescriptor handle;

    private DirectoryHandle(NativeFileDescriptor handle) {
        this.handle = handle;
    }

    /** Opens a directory of the jail, or the jail itself. */
    static DirectoryHandle open(Path jail, Path directory) throws IOException {
        NativeFileDescriptor at = NativeFileDescriptor.openDirectory(jail);
        if (directory.equals(jail)) {
            return new DirectoryHandle(at);
        }
        for (Path part : jail.relativize(directory)) {
            try (NativeFileDescriptor above = at) {
                at = above.openSubdirectory(part);
            }
        }
        return new DirectoryHandle(at);
    }

    /** A file that was not there, for its writer alone. */
    NativeFileDescriptor createFile(Path name) throws IOException {
        return handle.createFile(name);
    }

    /** Whatever stands under a name, be it a link, a pipe or a device. */
    NativeFileDescriptor openEntry(Path name) throws IOException {
        return handle.openEntry(name);
    }

    /** The bytes of a plain file. */
    InputStream read(Path name) throws IOException {
        try (NativeFileDescriptor found = handle.openEntry(name)) {
            Path file = found.descriptorPath();
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                throw new FileSystemException(name.toString(), null, "this is no plain file");
            }
            return Files.newInputStream(file);
        }
    }

    long size(Path name) throws IOException {
        return Files.readAttributes(
                        resolve(name), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .size();
    }

    /** Replaces what is there. */
    void rename(Path from, Path to) throws IOException {
        Files.move(resolve(from), resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Removes a file, a link itself, or an empty directory; what is gone already is as good. */
    void delete(Path name) throws IOException {
        Files.deleteIfExists(resolve(name));
    }

    void createDirectory(Path name) throws IOException {
        Files.createDirectory(resolve(name));
    }

    /** Makes its names durable. */
    void sync() throws IOException {
        try (FileChannel channel =
                FileChannel.open(handle.descriptorPath(), StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private Path resolve(Path name) {
        return handle.descriptorPath().resolve(name);
    }

    @Override
    public void close() {
        handle.close();
    }
}
