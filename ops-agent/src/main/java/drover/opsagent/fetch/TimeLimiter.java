package drover.opsagent.fetch;

import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends what a server may draw out for ever. A timeout of a socket counts anew with every byte, so a
 * head that comes a byte at a time never meets it; this one counts from the beginning.
 */
final class TimeLimiter {
    /** For a thread whose socket was just closed to come back. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private TimeLimiter() {}

    /** What is done within the limit. */
    interface TimedCall<T> {
        T run() throws IOException;
    }

    /**
     * Does it on a virtual thread: interrupting one closes the socket it waits for, whether it
     * connects, shakes hands or reads.
     */
    static <T, X extends Exception> T callWithTimeout(
            Deadline deadline, TimedCall<T> exchange, Supplier<X> late) throws IOException, X {
        FutureTask<T> task = new FutureTask<>(exchange::run);
        Thread thread = Thread.ofVirtual().name("download").start(task);
        try {
            return task.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            interruptAndJoin(thread);
            throw late.get();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        } catch (ExecutionException e) {
            throw rethrow(e.getCause());
        }
    }

    private static void interruptAndJoin(Thread thread) {
        thread.interrupt();
        try {
            thread.join(LAST_WORDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        }
    }

    private static RuntimeException rethrow(@Nullable Throwable cause) throws IOException {
        switch (cause) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            // The JDK reads interim answers one within the other: a flood of them ends here.
            case StackOverflowError e -> throw new IOException("an answer without end", e);
            case Error e -> throw e;
            case null, default ->
                    throw new IllegalStateException("An exchange threw what it cannot", cause);
        }
    }
}
