package drover.kit.grpc;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Makes timers that keep no process alive, and nothing that was cancelled. */
public final class DaemonTimerFactory {
    private DaemonTimerFactory() {}

    /** One of this name; what it does must be short. */
    public static ScheduledThreadPoolExecutor createTimer(String name) {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name(name).factory());
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
