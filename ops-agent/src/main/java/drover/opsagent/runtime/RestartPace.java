package drover.opsagent.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How soon a program that falls over is started again: at once, then at intervals that double up to
 * half a minute. Counts supervision's starts only; a start on purpose begins anew.
 */
public final class RestartPace {
    private static final Duration WINDOW = Duration.ofMinutes(5);
    private static final int LOOP_STARTS = 3; // the design's crash loop N
    private static final int MOST_KEPT = 6; // 500 ms doubled six times: 32 s, the longest wait

    private final Deque<Long> starts = new ArrayDeque<>();
    private long notBefore;
    private boolean waits;

    /** Whether it may be started again. */
    public synchronized boolean isDue(long nowNanos) {
        return !waits || nowNanos - notBefore >= 0;
    }

    /** It was started again. */
    public synchronized void started(long nowNanos) {
        starts.addLast(nowNanos);
        if (starts.size() > MOST_KEPT) {
            starts.removeFirst();
        }
        waits = true;
        notBefore = nowNanos + Duration.ofMillis(500L << recent(nowNanos)).toNanos();
    }

    /** Whether it was started again and again lately. */
    public synchronized boolean isLooping(long nowNanos) {
        return recent(nowNanos) >= LOOP_STARTS;
    }

    /** Another program, or the same one started on purpose: its past does not count. */
    public synchronized void forget() {
        starts.clear();
        waits = false;
    }

    private int recent(long nowNanos) {
        return (int) starts.stream().filter(at -> nowNanos - at <= WINDOW.toNanos()).count();
    }
}
