package drover.opsagent.disk;

import drover.model.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;

/**
 * The primitive operations of a disk. None follows a symbolic link at the last component, none is
 * durable before its sync; failures are {@link DiskFailure}.
 */
public interface Disk {
    /** What is at a path. */
    enum EntryKind {
        /** Nothing. */
        ABSENT,
        /** A plain file. */
        FILE,
        /** A directory. */
        DIRECTORY,
        /** A link, device, pipe or socket: never touched (H11). */
        OTHER
    }

    /** What is at the path. */
    EntryKind kind(Path path);

    /**
     * What makes two names the same file, or two files of different disks.
     *
     * @param device of the file system it lies on
     * @param links how many names it has
     */
    record DeviceAndLinkCount(long device, int links) {}

    /** Of what is at the path, which must be there. */
    DeviceAndLinkCount identity(Path path);

    /** Creates a file that must not exist, for its writer alone (H12). */
    DiskFileWriter createExclusive(Path file);

    /** Opens an existing file of the agent's own directory, to write after its last byte. */
    DiskFileWriter openForAppend(Path file);

    /** Opens a file for reading. */
    InputStream read(Path file);

    /** Size in bytes. */
    long size(Path file);

    /** Everything that a file carries besides its content. */
    FileAttributes attributes(Path file);

    /**
     * Whether the user of the agent may execute a file: by its permissions, and because its file
     * system is not mounted with noexec.
     */
    boolean isExecutable(Path file);

    /**
     * Checks whether an existing file can be replaced in its directory, and changes nothing.
     *
     * @throws DiskFailure with the reason of the system
     */
    default void requireReplaceable(Path file) {}

    /** Renames within one directory, replacing what is there. */
    void rename(Path from, Path to);

    /** Removes a file or an empty directory, if it is there. */
    void delete(Path file);

    /** Creates one directory, if it is not there. */
    void createDirectory(Path directory);

    /** Lets nobody but its owner into a directory of the agent's own (H12). */
    default void makePrivate(Path directory) {}

    /** Makes the names in a directory durable. */
    void syncDirectory(Path directory);

    /** What is in a directory; empty when it does not exist. */
    List<Path> list(Path directory);

    /** Room left where the path is. */
    long freeBytes(Path path);

    /** Number of files that can still be created where the path is. */
    long freeFiles(Path path);

    /** A file under construction. */
    interface DiskFileWriter extends AutoCloseable {
        /** Appends bytes. */
        void write(byte[] bytes, int offset, int length);

        /** Makes the file at least this long, and takes the space from the file system. */
        void reserve(long bytes);

        /** Begins anew. */
        void truncate();

        /**
         * Gives the file its attributes. After the last write, because the system takes
         * capabilities away from a file that is written.
         */
        void setAttributes(FileAttributes attributes);

        /** Makes the content durable. */
        void sync();

        @Override
        void close();
    }

    /** The whole content. */
    default byte[] readAll(Path file) {
        try (InputStream in = read(file)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new DiskFailure("Cannot read " + file, false, e);
        }
    }

    /** The digest of the content, read from the disk. */
    default Digest digest(Path file) {
        MessageDigest hash = Digest.sha256();
        byte[] buffer = new byte[64 * 1024];
        try (InputStream in = read(file)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hash.update(buffer, 0, n);
            }
        } catch (IOException e) {
            throw new DiskFailure("Cannot read " + file, false, e);
        }
        return Digest.ofHash(hash.digest());
    }
}
