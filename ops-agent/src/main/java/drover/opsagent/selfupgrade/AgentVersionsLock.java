package drover.opsagent.selfupgrade;

import drover.opsagent.disk.DiskFailure;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Keeps who removes versions apart from an agent that lets the link name one: an OS lock, which
 * goes with its process however that ends.
 */
public final class AgentVersionsLock implements AutoCloseable {
    static final String FILE = "versions.lock";

    /** Removing a few files takes milliseconds: three seconds in all. */
    private static final int TRIES = 60;

    private static final long BETWEEN_NANOS = 50_000_000;

    private final FileChannel channel;

    private AgentVersionsLock(FileChannel channel) {
        this.channel = channel;
    }

    /** For who removes some: nobody lets the link name one meanwhile. */
    static AgentVersionsLock acquireExclusive(Path directory) {
        return acquire(directory, false);
    }

    /**
     * For who lets the link name one: it stays where it is meanwhile. Needs no more than to read,
     * for the file may be of root's making and the agent another user.
     */
    static AgentVersionsLock acquireShared(Path directory) {
        return acquire(directory, true);
    }

    private static AgentVersionsLock acquire(Path directory, boolean shared) {
        Path file = directory.resolve(FILE);
        try {
            FileChannel channel = openLockFile(file, shared);
            for (int tries = 0; tries < TRIES; tries++) {
                if (tryAcquire(channel, shared) != null) {
                    return new AgentVersionsLock(channel);
                }
                LockSupport.parkNanos(BETWEEN_NANOS);
            }
            channel.close();
        } catch (IOException e) {
            throw new DiskFailure("Cannot lock " + file, false, e);
        }
        throw new ActionFailed(
                ReasonCode.DISK_ERROR,
                "Somebody removes versions of the agent, or starts one, and does not come to an"
                        + " end: look who holds "
                        + file
                        + ", then try again.");
    }

    private static FileChannel openLockFile(Path file, boolean shared) throws IOException {
        if (!Files.exists(file)) {
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        }
        return FileChannel.open(file, shared ? StandardOpenOption.READ : StandardOpenOption.WRITE);
    }

    private static @Nullable FileLock tryAcquire(FileChannel channel, boolean shared)
            throws IOException {
        try {
            return channel.tryLock(0, Long.MAX_VALUE, shared);
        } catch (OverlappingFileLockException e) {
            return null; // it is this process that holds it
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new DiskFailure("Cannot give the lock of the versions back", false, e);
        }
    }
}
