package drover.kit.database;

import java.time.Duration;

/** Of one who tries again and again, from now on. */
final class RetryDeadline {
    private final Duration longest;
    private final long started = System.nanoTime();

    RetryDeadline(Duration longest) {
        this.longest = longest;
    }

    boolean isExpired() {
        return System.nanoTime() - started > longest.toNanos();
    }

    /**
     * Waits.
     *
     * @throws IllegalStateException when interrupted: whoever waits is to end
     */
    void sleepFully(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("It was interrupted between two tries.", e);
        }
    }
}
