package drover.coordinator.election;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Grants a lease within one process, for tests and simulations; it can be away. */
public final class InMemoryLeases implements Lease.Factory {
    private final Duration ttl;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition freed = lock.newCondition();
    private @Nullable String holder;
    private long untilNanos;
    private long losses;
    private boolean unavailable;

    /** Leases of this length. */
    public InMemoryLeases(Duration ttl) {
        this.ttl = ttl;
    }

    @Override
    public Lease openFor(String candidate) {
        return new CandidateLease(candidate);
    }

    /** Whoever has it has it no longer. */
    public void revoke() {
        lock.lock();
        try {
            releaseLease();
        } finally {
            lock.unlock();
        }
    }

    private void releaseLease() {
        holder = null;
        losses++;
        freed.signalAll();
    }

    /** From now on it answers nobody, or everybody again. */
    public void setUnavailable(boolean now) {
        lock.lock();
        try {
            unavailable = now;
        } finally {
            lock.unlock();
        }
    }

    private boolean isHeldBy(String candidate) {
        return candidate.equals(holder) && untilNanos - System.nanoTime() > 0;
    }

    private final class CandidateLease implements Lease {
        private final String candidate;

        CandidateLease(String candidate) {
            this.candidate = candidate;
        }

        @Override
        public boolean acquireOrRenew() {
            lock.lock();
            try {
                requireAvailable();
                boolean free = holder == null || untilNanos - System.nanoTime() <= 0;
                if (free || candidate.equals(holder)) {
                    holder = candidate;
                    untilNanos = System.nanoTime() + ttl.toNanos();
                    return true;
                }
                return false;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean checkHeld() {
            lock.lock();
            try {
                requireAvailable();
                return isHeldBy(candidate);
            } finally {
                lock.unlock();
            }
        }

        private void requireAvailable() {
            if (unavailable) {
                throw new LeaseUnavailable("asking", new IllegalStateException("it is away"));
            }
        }

        @Override
        public void awaitAvailable(Duration atMost) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long before = losses;
                long left = atMost.toNanos();
                while (losses == before && left > 0) {
                    left = freed.awaitNanos(left);
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (!unavailable && isHeldBy(candidate)) {
                    releaseLease();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
