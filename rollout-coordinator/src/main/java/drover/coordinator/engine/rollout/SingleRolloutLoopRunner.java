package drover.coordinator.engine.rollout;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.engine.loop.LoopScheduler;
import drover.coordinator.engine.rollout.RolloutLoop.TickResult;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnreadableRow;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The waiting and the pace around one rollout's loop, and what its ticks lead to. */
public final class SingleRolloutLoopRunner implements LoopScheduler.Loop {
    private static final Logger LOG = LoggerFactory.getLogger(SingleRolloutLoopRunner.class);
    private static final Duration SHORTEST = Duration.ofMillis(25); // at most one commit in this
    private static final Duration LONGEST = Duration.ofMillis(75);

    private static final LoopScheduler.Pause AFTER_FAILURE =
            new LoopScheduler.Pause(Duration.ofSeconds(1), false); // the next tick is the retry
    private static final Duration BATCH_PROMOTER = Duration.ofSeconds(10); // seed 004

    private final RolloutId id;
    private final RolloutLoop loop;
    private final Supplier<Instant> clock;
    private final LoopScheduler pacer;
    private final LoopMeter meter;
    private final Runnable stepDown;
    private final Runnable over;

    public SingleRolloutLoopRunner(
            RolloutId id,
            RolloutLoop loop,
            Supplier<Instant> clock,
            LoopScheduler pacer,
            LoopMeter meter,
            Runnable stepDown,
            Runnable over) {
        this.id = id;
        this.loop = loop;
        this.clock = clock;
        this.pacer = pacer;
        this.meter = meter;
        this.stepDown = stepDown;
        this.over = over;
    }

    @Override
    public LoopScheduler.@Nullable Pause runOnce() {
        TickResult ticked;
        long started = pacer.nanos();
        try {
            ticked = tickAndMeasure();
        } catch (StoreUnavailable e) {
            LOG.warn(
                    "The database is away; trying again rolloutId={} reason={}",
                    id,
                    e.getMessage());
            return AFTER_FAILURE;
        } catch (UnreadableRow e) {
            LOG.warn(
                    "A rollout cannot be read; this leader leaves it alone rolloutId={} reason={}",
                    id,
                    e.getMessage());
            return new LoopScheduler.Pause(BATCH_PROMOTER, true);
        } catch (UnwritableValue e) {
            LOG.error("A commit has a value that the database rejects rolloutId={}", id, e);
            meter.recordFailure("rollout");
            return new LoopScheduler.Pause(BATCH_PROMOTER, false); // an incident is open: no hurry
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                return null;
            }
            meter.recordFailure("rollout");
            LOG.error("A tick failed by a bug; nothing was committed rolloutId={}", id, e);
            pacer.reportBug(e);
            return AFTER_FAILURE;
        }
        return switch (ticked) {
            case TickResult.TickAgain changed ->
                    pauseAfter(Duration.ofNanos(pacer.nanos() - started));
            case TickResult.Waiting(Instant wakeAt) ->
                    new LoopScheduler.Pause(cappedTimeUntil(wakeAt), true);
            case TickResult.Ended ended -> {
                over.run();
                yield null;
            }
            case TickResult.SteppedDown down -> {
                stepDown.run();
                yield null;
            }
        };
    }

    private TickResult tickAndMeasure() {
        long started = pacer.nanos();
        try {
            return loop.tick();
        } finally {
            meter.recordRound("rollout", Duration.ofNanos(pacer.nanos() - started));
        }
    }

    /**
     * As long as it worked, within bounds: a loop that works half its time leaves the machine to
     * what it waits for, and so much comes in meanwhile that one commit takes in what would have
     * been several.
     */
    static LoopScheduler.Pause pauseAfter(Duration worked) {
        Duration atLeast = worked.compareTo(SHORTEST) < 0 ? SHORTEST : worked;
        return new LoopScheduler.Pause(atLeast.compareTo(LONGEST) > 0 ? LONGEST : atLeast, false);
    }

    @Override
    public void onEnd() {
        loop.stop();
    }

    private Duration cappedTimeUntil(@Nullable Instant wakeAt) {
        if (wakeAt == null) {
            return BATCH_PROMOTER;
        }
        Duration wait = Duration.between(clock.get(), wakeAt);
        return wait.compareTo(BATCH_PROMOTER) < 0 ? wait : BATCH_PROMOTER;
    }
}
