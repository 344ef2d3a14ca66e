package drover.bench.deployment;

import drover.localenv.UserFacingError;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What a measurement has running besides itself. All of it ends with the measurement, also when
 * that is asked to end (Ctrl-C, SIGTERM) in the middle of its start: what is just being started is
 * waited for and ended, and nothing else is started.
 */
public final class StartedResources implements AutoCloseable {
    private final ReentrantLock starting = new ReentrantLock();
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private boolean ended;

    /** Starts a part that {@link #close} ends, the last one first. */
    public <T extends AutoCloseable> T start(Supplier<T> start) {
        starting.lock();
        try {
            if (ended) {
                throw new UserFacingError("The measurement was ended.");
            }
            T part = start.get();
            parts.push(part);
            return part;
        } finally {
            starting.unlock();
        }
    }

    /** Whether it has been ended. */
    public boolean isEnded() {
        starting.lock();
        try {
            return ended;
        } finally {
            starting.unlock();
        }
    }

    @Override
    public void close() {
        starting.lock();
        try {
            ended = true;
            while (!parts.isEmpty()) {
                close(parts.pop());
            }
        } finally {
            starting.unlock();
        }
    }

    /** One that does not end well must not keep the others alive. */
    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            System.err.println("A part did not end by itself: " + e.getMessage());
        }
    }
}
