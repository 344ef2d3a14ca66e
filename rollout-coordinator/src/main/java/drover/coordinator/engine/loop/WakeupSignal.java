package drover.coordinator.engine.loop;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes a loop early. Carries nothing: however often it is given before the loop looks, it counts
 * once.
 */
public final class WakeupSignal {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition given = lock.newCondition();
    private boolean pending;

    /** Wakes the loop, now or as soon as it waits. */
    public void signal() {
        lock.lock();
        try {
            pending = true;
            given.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is given or this long has passed. */
    public void await(Duration atMost) throws InterruptedException {
        lock.lock();
        try {
            long left = Math.max(1, atMost.toNanos());
            while (!pending && left > 0) {
                left = given.awaitNanos(left);
            }
            pending = false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits this long whatever is given; what is given meanwhile is kept. The one place of this
     * service that sleeps.
     */
    public void sleep(Duration length) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(length.toNanos());
    }
}
