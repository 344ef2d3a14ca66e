package drover.opsagent.disk;

import drover.opsagent.time.AgentStopping;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The machine's own disk. Below the jail, if there is one, no write follows a link in any component
 * of its path, whoever exchanges directories meanwhile (H11).
 */
public final class LocalDisk implements Disk {
    private final @Nullable Path jail;
    private final @Nullable Path agentDirectory;

    /** Without a jail: for directories that are the agent's alone. */
    public LocalDisk() {
        this.jail = null;
        this.agentDirectory = null;
    }

    private LocalDisk(Path jail, Path own) {
        this.jail = jail;
        this.agentDirectory = own;
    }

    /**
     * With a jail: a directory in which programs, too, may have made directories and links.
     *
     * @param own a directory that is the agent's alone, wherever it lies
     */
    public static LocalDisk withJail(Path directory, Path own) {
        return new LocalDisk(directory, own);
    }

    private boolean isInJail(Path file) {
        return jail != null
                && file.startsWith(jail)
                && !file.equals(jail)
                && !file.startsWith(Objects.requireNonNull(agentDirectory));
    }

    private DirectoryHandle openParentDirectory(Path file) throws IOException {
        return DirectoryHandle.open(requireJail(), Objects.requireNonNull(file.getParent()));
    }

    private Path requireJail() {
        return Objects.requireNonNull(jail);
    }

    @Override
    public DeviceAndLinkCount identity(Path path) {
        try {
            Map<String, Object> found =
                    Files.readAttributes(path, "unix:dev,nlink", LinkOption.NOFOLLOW_LINKS);
            return new DeviceAndLinkCount(
                    ((Number) Objects.requireNonNull(found.get("dev"))).longValue(),
                    ((Number) Objects.requireNonNull(found.get("nlink"))).intValue());
        } catch (IOException e) {
            throw failure("Cannot look at " + path, e);
        }
    }

    @Override
    public EntryKind kind(Path path) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(
                            path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isRegularFile()) {
                return EntryKind.FILE;
            }
            return attributes.isDirectory() ? EntryKind.DIRECTORY : EntryKind.OTHER;
        } catch (NoSuchFileException e) {
            return EntryKind.ABSENT; // the JDK says so, too, where a parent is a file
        } catch (IOException e) {
            throw failure("Cannot look at " + path, e);
        }
    }

    @Override
    public void requireReplaceable(Path file) {
        try {
            FileReplaceabilityCheck.requireReplaceable(file);
        } catch (IOException e) {
            throw failure("Cannot replace " + file, e);
        }
    }

    @Override
    public DiskFileWriter createExclusive(Path file) {
        try {
            return openForWriting(file, create(file));
        } catch (FileAlreadyExistsException e) {
            throw new DiskFailure(file + " was created by another process", false, e);
        } catch (IOException e) {
            throw failure("Cannot create " + file, e);
        }
    }

    private static ChannelFile openForWriting(Path file, NativeFileDescriptor handle)
            throws IOException {
        try {
            FileChannel channel =
                    FileChannel.open(handle.descriptorPath(), StandardOpenOption.WRITE);
            return new ChannelFile(file, handle, channel);
        } catch (IOException | RuntimeException e) {
            handle.close();
            throw e;
        }
    }

    private NativeFileDescriptor create(Path file) throws IOException {
        if (isInJail(file)) {
            try (DirectoryHandle directory = openParentDirectory(file)) {
                return directory.createFile(fileName(file));
            }
        }
        return NativeFileDescriptor.createNewFile(file);
    }

    @Override
    public DiskFileWriter openForAppend(Path file) {
        if (isInJail(file)) {
            throw new IllegalArgumentException(file + " is outside the agent's directory");
        }
        try {
            ChannelFile opened = openForWriting(file, NativeFileDescriptor.openPath(file));
            opened.channel().position(opened.channel().size());
            return opened;
        } catch (IOException e) {
            throw failure("Cannot write " + file, e);
        }
    }

    private static Path fileName(Path file) {
        return Objects.requireNonNull(file.getFileName());
    }

    @Override
    public InputStream read(Path file) {
        try {
            if (isInJail(file)) {
                try (DirectoryHandle directory = openParentDirectory(file)) {
                    return directory.read(fileName(file));
                }
            }
            return Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw failure("Cannot read " + file, e);
        }
    }

    @Override
    public long size(Path file) {
        try {
            if (isInJail(file)) {
                try (DirectoryHandle directory = openParentDirectory(file)) {
                    return directory.size(fileName(file));
                }
            }
            return Files.size(file);
        } catch (IOException e) {
            throw failure("Cannot look at " + file, e);
        }
    }

    @Override
    public FileAttributes attributes(Path file) {
        try (NativeFileDescriptor found = open(file)) {
            return FileAttributeAccess.read(found.descriptorPath());
        } catch (IOException e) {
            throw failure("Cannot look at " + file, e);
        }
    }

    @Override
    public boolean isExecutable(Path file) {
        try (NativeFileDescriptor found = open(file)) {
            return Files.isExecutable(found.descriptorPath());
        } catch (IOException e) {
            throw failure("Cannot look at " + file, e);
        }
    }

    private NativeFileDescriptor open(Path file) throws IOException {
        if (isInJail(file)) {
            try (DirectoryHandle directory = openParentDirectory(file)) {
                return directory.openEntry(fileName(file));
            }
        }
        return NativeFileDescriptor.openPath(file);
    }

    @Override
    public void rename(Path from, Path to) {
        try {
            if (isInJail(to)) {
                try (DirectoryHandle directory = openParentDirectory(to)) {
                    directory.rename(fileName(from), fileName(to));
                }
                return;
            }
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failure("Cannot put " + to + " in place", e);
        }
    }

    @Override
    public void delete(Path file) {
        try {
            if (isInJail(file)) {
                try (DirectoryHandle directory = openParentDirectory(file)) {
                    directory.delete(fileName(file));
                }
                return;
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw failure("Cannot delete " + file, e);
        }
    }

    @Override
    public void createDirectory(Path directory) {
        try {
            if (isInJail(directory)) {
                try (DirectoryHandle above = openParentDirectory(directory)) {
                    above.createDirectory(fileName(directory));
                }
                return;
            }
            Files.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            if (kind(directory) != EntryKind.DIRECTORY) {
                throw failure(directory + " is no directory", e);
            }
        } catch (IOException e) {
            throw failure("Cannot create " + directory, e);
        }
    }

    @Override
    public void makePrivate(Path directory) {
        try {
            PosixFileAttributes now =
                    Files.readAttributes(
                            directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            boolean others = !PosixFilePermissions.toString(now.permissions()).endsWith("------");
            if (others && now.owner().getName().equals(System.getProperty("user.name"))) {
                Files.setPosixFilePermissions(
                        directory, PosixFilePermissions.fromString("rwx------"));
            }
        } catch (IOException e) {
            throw failure("Cannot keep others out of " + directory, e);
        }
    }

    @Override
    public void syncDirectory(Path directory) {
        try {
            if (isInJail(directory)) {
                try (DirectoryHandle itself = DirectoryHandle.open(requireJail(), directory)) {
                    itself.sync();
                }
                return;
            }
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        } catch (IOException e) {
            throw failure("Cannot sync " + directory, e);
        }
    }

    @Override
    public List<Path> list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw failure("Cannot list " + directory, e);
        }
    }

    @Override
    public long freeBytes(Path path) {
        try {
            return Files.getFileStore(nearestExisting(path)).getUsableSpace();
        } catch (IOException e) {
            throw failure("Cannot look at the room for " + path, e);
        }
    }

    @Override
    public long freeFiles(Path path) {
        try {
            return FreeInodeCounter.count(nearestExisting(path));
        } catch (IOException e) {
            throw failure("Cannot look at the room for " + path, e);
        }
    }

    private static Path nearestExisting(Path path) {
        Path nearest = path;
        while (!Files.exists(nearest) && nearest.getParent() != null) {
            nearest = nearest.getParent();
        }
        return nearest;
    }

    private static DiskFailure failure(String what, IOException cause) {
        if (cause instanceof ClosedByInterruptException) {
            throw new AgentStopping(cause); // the agent is being closed: no fault of the disk
        }
        return new DiskFailure(
                what + ": " + IOExceptionReasons.reason(cause),
                IOExceptionReasons.isFull(cause),
                cause);
    }

    private record ChannelFile(Path path, NativeFileDescriptor handle, FileChannel channel)
            implements DiskFileWriter {
        @Override
        public void write(byte[] bytes, int offset, int length) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
            try {
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
            } catch (IOException e) {
                throw failure("Cannot write " + path, e);
            }
        }

        @Override
        public void reserve(long bytes) {
            try {
                handle.reserve(bytes);
            } catch (IOException e) {
                throw failure("Cannot write " + path, e);
            }
        }

        @Override
        public void truncate() {
            try {
                channel.truncate(0);
                channel.position(0);
            } catch (IOException e) {
                throw failure("Cannot write " + path, e);
            }
        }

        @Override
        public void setAttributes(FileAttributes attributes) {
            try {
                FileAttributeAccess.write(handle.descriptorPath(), attributes);
            } catch (IOException e) {
                throw failure("A new file in " + path.getParent(), e);
            }
        }

        @Override
        public void sync() {
            try {
                channel.force(true);
            } catch (IOException e) {
                throw failure("Cannot sync " + path, e);
            }
        }

        @Override
        public void close() {
            try (handle) {
                channel.close();
            } catch (IOException e) {
                throw failure("Cannot close " + path, e);
            }
        }
    }
}
