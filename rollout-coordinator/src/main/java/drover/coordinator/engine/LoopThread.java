package drover.coordinator.engine;

import drover.coordinator.engine.RolloutLoop.Ticked;
import drover.coordinator.store.StoreUnavailable;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread, the waiting and the pace around one rollout's loop. */
final class LoopThread {
    private static final Logger LOG = LoggerFactory.getLogger(LoopThread.class);
    private static final Duration PACE = Duration.ofMillis(25); // at most one commit in this time
    private static final Duration AFTER_FAILURE =
            Duration.ofSeconds(1); // the next tick is the retry
    private static final Duration BATCH_PROMOTER = Duration.ofSeconds(10); // seed 004

    private final RolloutId id;
    private final RolloutLoop loop;
    private final Supplier<Instant> clock;
    private final Runnable stepDown;
    private final Runnable over;
    private final Nudge nudge = new Nudge();
    private final Thread thread;

    LoopThread(
            RolloutId id,
            RolloutLoop loop,
            Supplier<Instant> clock,
            Runnable stepDown,
            Runnable over) {
        this.id = id;
        this.loop = loop;
        this.clock = clock;
        this.stepDown = stepDown;
        this.over = over;
        this.thread = Thread.ofVirtual().name("rollout-" + id).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread;
    }

    void wake() {
        nudge.give();
    }

    /** Ends soon: whatever it is doing is broken off or fenced. */
    void stop() {
        thread.interrupt();
    }

    private void run() {
        try {
            boolean goOn = true;
            while (goOn && !Thread.currentThread().isInterrupted()) {
                goOn = once();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        } finally {
            loop.stop();
        }
    }

    private boolean once() throws InterruptedException {
        Ticked ticked;
        try {
            ticked = loop.tick();
        } catch (StoreUnavailable e) {
            LOG.warn(
                    "The database is away; trying again rolloutId={} reason={}",
                    id,
                    e.getMessage());
            nudge.rest(AFTER_FAILURE);
            return true;
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            LOG.error("A tick failed by a bug; nothing was committed rolloutId={}", id, e);
            nudge.rest(AFTER_FAILURE);
            return true;
        }
        return switch (ticked) {
            case Ticked.Changed changed -> {
                nudge.rest(PACE);
                yield true;
            }
            case Ticked.Waiting(Instant wakeAt) -> {
                nudge.await(until(wakeAt));
                yield true;
            }
            case Ticked.Over ended -> {
                over.run();
                yield false;
            }
            case Ticked.SteppedDown down -> {
                stepDown.run();
                yield false;
            }
        };
    }

    private Duration until(@Nullable Instant wakeAt) {
        if (wakeAt == null) {
            return BATCH_PROMOTER;
        }
        Duration wait = Duration.between(clock.get(), wakeAt);
        return wait.compareTo(BATCH_PROMOTER) < 0 ? wait : BATCH_PROMOTER;
    }
}
