package drover.opsagent.peers;

import drover.opsagent.time.AgentStopping;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes a loop early. Carries no input; several signals in a row wake it once. */
public final class LoopWakeup {
    private final Semaphore signal = new Semaphore(0);

    /** Wakes the loop. Never blocks. */
    public void signal() {
        signal.release();
    }

    /** Waits for a signal, at most this long. */
    public void await(Duration atMost) {
        try {
            if (signal.tryAcquire(Math.max(1, atMost.toNanos()), TimeUnit.NANOSECONDS)) {
                signal.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        }
    }
}
