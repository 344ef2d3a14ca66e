package drover.opsagent.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * At most one executor per node (C8): an OS lock held for the process's life on a file that nothing
 * else opens, for closing any other handle of it would release the lock.
 */
public final class ExecutorLock implements AutoCloseable {
    private final FileChannel channel;
    private final @Nullable FileLock lock;

    private ExecutorLock(FileChannel channel, @Nullable FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /** Tries to become the executor of the node with this state directory. */
    public static ExecutorLock tryTake(Path stateDirectory) {
        try {
            Files.createDirectories(stateDirectory);
            FileChannel channel =
                    FileChannel.open(
                            stateDirectory.resolve("executor.lock"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            return new ExecutorLock(channel, locked(channel));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The state directory " + stateDirectory + " cannot be used", e);
        }
    }

    private static @Nullable FileLock locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another agent of this process holds it
        }
    }

    /** Whether this agent is the executor. */
    public boolean isHeld() {
        return lock != null;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The executor lock cannot be given back", e);
        }
    }
}
