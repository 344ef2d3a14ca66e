package drover.kit.grpc;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Makes timers that keep no process alive, and nothing that was cancelled. */
final class DaemonTimer {
    private DaemonTimer() {}

    /** One of this name; what it does must be short. */
    static ScheduledThreadPoolExecutor named(String name) {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name(name).factory());
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
