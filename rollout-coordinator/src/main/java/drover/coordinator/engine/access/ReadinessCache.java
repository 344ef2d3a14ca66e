package drover.coordinator.engine.access;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Readiness for callers without a key: it costs at most one check per second, and reveals no
 * directory.
 */
public final class ReadinessCache implements Supplier<List<String>> {
    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final Supplier<List<String>> check;
    private final LongSupplier nanos;
    private List<String> last = List.of();
    private long readAt;

    /**
     * By a monotonic clock.
     *
     * @param check one sentence for each problem; may query the database
     */
    public ReadinessCache(Supplier<List<String>> check, LongSupplier nanos) {
        this.check = check;
        this.nanos = nanos;
        this.readAt = nanos.getAsLong() - FRESH_NANOS;
    }

    @Override
    public synchronized List<String> get() {
        if (nanos.getAsLong() - readAt >= FRESH_NANOS) {
            last = check.get().stream().map(ReadinessCache::maskDirectories).toList();
            readAt = nanos.getAsLong();
        }
        return last;
    }

    /** Leaves the last element of each path. */
    static String maskDirectories(String sentence) {
        return sentence.replaceAll("(?<![\\w/])/(?:[^/\\s]+/)*(?=[^/\\s])", "");
    }
}
