package drover.coordinator.election;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Looks all the time whether two candidates are elected at once. */
final class SplitBrainDetector implements AutoCloseable {
    private static final long EVERY_NANOS = 1_000_000;

    private final List<RecordingCandidate> candidates;
    private final AtomicLong together = new AtomicLong();
    private final CountDownLatch over = new CountDownLatch(1);

    private SplitBrainDetector(List<RecordingCandidate> candidates) {
        this.candidates = candidates;
    }

    static SplitBrainDetector watch(List<RecordingCandidate> candidates) {
        SplitBrainDetector rivals = new SplitBrainDetector(candidates);
        Thread.ofPlatform().daemon().start(rivals::run);
        return rivals;
    }

    private void run() {
        try {
            while (!over.await(EVERY_NANOS, TimeUnit.NANOSECONDS)) {
                check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One that was elected before another and still is after it: they were so at once. */
    private void check() {
        for (RecordingCandidate one : candidates) {
            for (RecordingCandidate other : candidates) {
                if (one != other && one.isElected() && other.isElected() && one.isElected()) {
                    together.incrementAndGet();
                }
            }
        }
    }

    /** Looks for this long. */
    void check(Duration length) {
        try {
            if (over.await(length.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException("Nobody looks any more.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    long together() {
        return together.get();
    }

    @Override
    public void close() {
        over.countDown();
    }
}
