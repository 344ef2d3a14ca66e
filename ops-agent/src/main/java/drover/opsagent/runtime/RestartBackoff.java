package drover.opsagent.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * How soon a program that falls over is started again: at once, then at intervals that double up to
 * half a minute. Counts supervision's starts only; a start on purpose begins anew.
 */
public final class RestartBackoff {
    private static final Duration WINDOW = Duration.ofMinutes(5);
    private static final int CRASH_LOOP_STARTS = 3; // the design's crash loop N
    private static final int MOST_KEPT = 6; // 500 ms doubled six times: 32 s, the longest wait

    private final Deque<Long> starts = new ArrayDeque<>();
    private String lastEnd = "";
    private String endedRun = "";
    private String startFailure = "";
    private long endedAt;
    private boolean startedSinceEnd;
    private long notBefore;
    private boolean waits;

    /** Whether the next start may be. */
    public synchronized boolean isDue(long nowNanos) {
        return !waits || nowNanos - notBefore >= 0;
    }

    /** A start by supervision. */
    public synchronized void recordStart(long nowNanos) {
        startedSinceEnd = true;
        startFailure = "";
        starts.addLast(nowNanos);
        if (starts.size() > MOST_KEPT) {
            starts.removeFirst();
        }
        waits = true;
        notBefore = nowNanos + Duration.ofMillis(500L << recentStartCount(nowNanos)).toNanos();
    }

    /**
     * Keeps how a run ended that was not stopped on purpose. Only the first call for a run counts.
     *
     * @param runId identifies the run
     * @param end a clause as of {@link ExitDescriber#describe}
     */
    public synchronized void recordCrash(String runId, long nowNanos, Supplier<String> end) {
        if (!runId.equals(endedRun)) {
            lastEnd = end.get();
            endedRun = runId;
            endedAt = nowNanos;
            startedSinceEnd = false;
        }
    }

    /**
     * Keeps why the latest start by supervision failed.
     *
     * @param why a clause, for example {@code there is no file /opt/app}
     */
    public synchronized void recordStartFailure(String why) {
        startFailure = why;
    }

    /** Why the latest start by supervision failed, as a clause; empty if it did not. */
    public synchronized String describeStartFailure() {
        return startFailure;
    }

    /** Id of the latest such run; empty if there was none since the last start on purpose. */
    public synchronized String lastCrashedRunId() {
        return endedRun;
    }

    /**
     * How the latest such run ended; empty if there was none since the last start on purpose, or if
     * the program has been up for longer than the window of a crash loop.
     */
    public synchronized String describeLastCrash(long nowNanos) {
        return startedSinceEnd && nowNanos - endedAt > WINDOW.toNanos() ? "" : lastEnd;
    }

    /** Whether there were so many starts lately that it is a crash loop. */
    public synchronized boolean isCrashLooping(long nowNanos) {
        return recentStartCount(nowNanos) >= CRASH_LOOP_STARTS;
    }

    /**
     * Describes a crash loop and when it ends.
     *
     * @param lastCrash as of {@link #describeLastCrash}
     * @param startFailure as of {@link #describeStartFailure}
     */
    public static String describeCrashLoop(String lastCrash, String startFailure) {
        return "The program crashes repeatedly ("
                + CRASH_LOOP_STARTS
                + " starts within "
                + WINDOW.toMinutes()
                + " minutes)"
                + (lastCrash.isEmpty()
                        ? ": read its output."
                        : ", most recently " + lastCrash + ".")
                + (startFailure.isEmpty()
                        ? ""
                        : " It cannot be started again: " + startFailure + ".")
                + " This finding ends when fewer than "
                + CRASH_LOOP_STARTS
                + " starts lie within "
                + WINDOW.toMinutes()
                + " minutes.";
    }

    /** Another program, or the same one started on purpose: its past does not count. */
    public synchronized void reset() {
        starts.clear();
        lastEnd = "";
        endedRun = "";
        startFailure = "";
        waits = false;
    }

    private int recentStartCount(long nowNanos) {
        return (int) starts.stream().filter(at -> nowNanos - at <= WINDOW.toNanos()).count();
    }
}
