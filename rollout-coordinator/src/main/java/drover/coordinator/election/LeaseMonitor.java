package drover.coordinator.election;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Whether this candidate holds its lease, and the voice that tells. It ends when the clock says so,
 * whatever the thread that asks for more is stuck in: the voice is a thread of its own.
 */
final class LeaseMonitor implements AutoCloseable {
    private static final long NONE = 0;

    private final LeaseDeadlineCalculator terms;
    private final LongSupplier nanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean held;
    private boolean closed;
    private long requestedNanos;
    private long gains; // numbers the times it was gained, so that no loss between two is missed
    private long notified = NONE;

    LeaseMonitor(LeaseDeadlineCalculator terms, LongSupplier nanos) {
        this.terms = terms;
        this.nanos = nanos;
    }

    /** Begins to tell. Called once. */
    void start(LeaderElector.Listener listener) {
        Thread.ofVirtual().name("election").start(() -> notifyUntilClosed(listener));
    }

    /**
     * It was granted, for its whole length.
     *
     * @param requested when that was asked for, by the monotonic clock
     */
    void recordGrant(long requested) {
        lock.lock();
        try {
            if (!isHeld()) {
                gains++;
            }
            held = true;
            requestedNanos = requested;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Another has it, or nobody. */
    void recordLoss() {
        lock.lock();
        try {
            held = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isHeld() {
        lock.lock();
        try {
            return held && !closed && remainingNanos() > 0;
        } finally {
            lock.unlock();
        }
    }

    private long remainingNanos() {
        return terms.remaining(requestedNanos, nanos.getAsLong()).toNanos();
    }

    private void notifyUntilClosed(LeaderElector.Listener listener) {
        try {
            while (awaitHeldChange()) {
                if (notified != NONE) {
                    notified = NONE;
                    listener.onLost();
                } else {
                    notified = gainCount();
                    listener.onElected();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until what was told last is no longer so; false when there is nothing more to tell. */
    private boolean awaitHeldChange() throws InterruptedException {
        lock.lock();
        try {
            while (!closed && notified == (isHeld() ? gains : NONE)) {
                if (isHeld()) {
                    var _ = changed.await(remainingNanos(), TimeUnit.NANOSECONDS);
                } else {
                    changed.await();
                }
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private long gainCount() {
        lock.lock();
        try {
            return gains;
        } finally {
            lock.unlock();
        }
    }

    /** It holds no longer, and nothing more is told. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
