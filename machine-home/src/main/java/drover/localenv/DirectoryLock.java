package drover.localenv;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one lock of a data directory, held by the operating system for the life of the process: a
 * {@code kill -9} frees it.
 */
public final class DirectoryLock implements AutoCloseable {
    private static final int LONGEST = 64; // a pid in decimal digits

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Takes the lock, or gives nothing when another process, or this one, holds it. */
    static Optional<DirectoryLock> tryAcquire(Path file) {
        FileChannel channel = open(file);
        try {
            FileLock lock = lock(channel);
            if (lock == null) {
                channel.close();
                return Optional.empty();
            }
            channel.truncate(0);
            byte[] pid =
                    Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8);
            channel.write(ByteBuffer.wrap(pid));
            return Optional.of(new DirectoryLock(channel));
        } catch (IOException e) {
            throw new UserFacingError(
                    "The lock " + file + " cannot be written; check the disk.", e);
        }
    }

    /** The process that holds the lock, or nothing when nobody does. */
    static Optional<ProcessHandle> holder(Path file) {
        if (!file.toFile().exists()) {
            return Optional.empty();
        }
        try (FileChannel channel = open(file);
                FileLock lock = lock(channel)) {
            return lock == null ? readHolder(channel) : Optional.empty();
        } catch (IOException e) {
            throw new UserFacingError("The lock " + file + " cannot be read; check the disk.", e);
        }
    }

    /**
     * Whether somebody holds the lock of this file. Never asked by the process that may hold it:
     * closing the file would free it.
     */
    static boolean isHeldByOtherProcess(Path file) {
        if (!file.toFile().exists()) {
            return false;
        }
        try (FileChannel channel = open(file);
                FileLock lock = lock(channel)) {
            return lock == null;
        } catch (IOException e) {
            throw new UserFacingError("The lock " + file + " cannot be read; check the disk.", e);
        }
    }

    private static Optional<ProcessHandle> readHolder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(LONGEST);
        channel.read(text, 0);
        String pid = new String(text.array(), 0, text.position(), StandardCharsets.UTF_8).strip();
        return pid.matches("[0-9]{1,18}")
                ? ProcessHandle.of(Long.parseLong(pid))
                : Optional.empty();
    }

    private static FileChannel open(Path file) {
        try {
            return FileChannel.open(
                    file,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UserFacingError(
                    "The lock " + file + " cannot be opened; check that you may write there.", e);
        }
    }

    /** Null when somebody else has it. */
    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this very process
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UserFacingError("The lock of the data directory cannot be given back.", e);
        }
    }
}
