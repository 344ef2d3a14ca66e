package drover.opsagent.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * At most one executor per node (C8): an OS lock held for the process's life on a file that nothing
 * else opens, for closing any other handle of it would release the lock.
 */
public final class ExecutorLock implements AutoCloseable {
    private final @Nullable FileChannel channel;
    private volatile boolean held;

    private ExecutorLock(@Nullable FileChannel channel, boolean held) {
        this.channel = channel;
        this.held = held;
    }

    /** The lock of a simulated node, where nobody competes. */
    public static ExecutorLock alwaysHeld() {
        return new ExecutorLock(null, true);
    }

    /** Tries to become the executor of the node with this state directory. */
    public static ExecutorLock tryAcquire(Path stateDirectory) {
        try {
            Files.createDirectories(stateDirectory);
            FileChannel channel =
                    FileChannel.open(
                            stateDirectory.resolve("executor.lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE,
                            LinkOption.NOFOLLOW_LINKS);
            return new ExecutorLock(channel, tryLock(channel) != null);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The state directory " + stateDirectory + " cannot be used", e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another agent of this process holds it
        }
    }

    /**
     * Tries again, on the same handle: closing it and opening another could release the lock of an
     * agent in the same process.
     */
    public boolean retryAcquire() {
        FileChannel open = channel;
        if (!held && open != null) {
            try {
                held = tryLock(open) != null;
            } catch (IOException e) {
                throw new UncheckedIOException("The executor lock cannot be tried", e);
            }
        }
        return held;
    }

    /** Whether this agent is the executor. */
    public boolean isHeld() {
        return held;
    }

    @Override
    public void close() {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The executor lock cannot be given back", e);
        }
    }
}
