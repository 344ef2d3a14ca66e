package drover.gateway.engine;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where the gateway waits for time to pass. Steps run one after another on their own
 * virtual threads; one that fails is logged and comes again.
 */
public final class TaskScheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskScheduler.class);
    private static final int THREADS = 4; // one for each of the gateway's steps

    private static final Duration CLOSE_TIMEOUT =
            Duration.ofSeconds(5); // for a statement under way

    private final ScheduledThreadPoolExecutor scheduler =
            new ScheduledThreadPoolExecutor(THREADS, Thread.ofVirtual().name("tick-", 0).factory());

    /** Nothing ticks yet. */
    public TaskScheduler() {
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        scheduler.setRemoveOnCancelPolicy(true); // most delays are cancelled, soon after a Hello
    }

    /** Runs a step again and again, this long after it ended. */
    public void scheduleRepeated(Duration pause, Runnable step) {
        var _ =
                scheduler.scheduleWithFixedDelay(
                        () -> runLoggingErrors(step),
                        pause.toMillis(),
                        pause.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Runs a step once; cancel what is returned when it is not needed any more. */
    public Future<?> scheduleOnce(Duration delay, Runnable step) {
        return scheduler.schedule(
                () -> runLoggingErrors(step), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits; ends early, with the thread's interruption kept, when it is interrupted. */
    public void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void runLoggingErrors(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.warn("A step of the gateway failed and will be tried again", e);
        }
    }

    /** Lets a step that is under way end: its statement is not to be cut off. */
    @Override
    public void close() {
        scheduler.shutdown();
        try {
            if (!scheduler.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                var _ = scheduler.shutdownNow();
            }
        } catch (InterruptedException e) {
            var _ = scheduler.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
