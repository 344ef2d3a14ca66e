package drover.coordinator.engine.loop;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the loops of a leader run on: threads and the machine's clock, or one after another in
 * virtual time. The loops themselves know neither.
 */
public interface LoopScheduler {
    /** Monotonic nanoseconds; only differences mean something. */
    long nanos();

    /** A loop that is begun with {@link LoopHandle#start}. */
    LoopHandle prepare(String name, Loop loop);

    /** A round failed by a bug, which was logged; for those who must not overlook it. */
    default void reportBug(RuntimeException bug) {}

    /** Something that is done again and again. */
    interface Loop {
        /** Does it once; says how long to rest, or null when it is over. */
        @Nullable Pause runOnce();

        /** It is over, or it was stopped. Called once. */
        void onEnd();
    }

    /**
     * The pause until the next round.
     *
     * @param wakeable whether a wake-up ends it early; otherwise the wake-up is kept
     */
    record Pause(Duration length, boolean wakeable) {}

    /** A loop as its owner holds it. */
    interface LoopHandle {
        /** Begins it; its first round follows soon. Called once. */
        void start();

        /** Ends its rest early. Carries nothing; several at once count once. */
        void wake();

        /** Ends its rest at once and begins no other round; one that is under way is left alone. */
        void finish();

        /** Ends it soon, whatever it is doing. */
        void stop();

        /** Waits until it has ended, but not when it is the loop itself that waits. */
        void join(Duration atMost);
    }
}
