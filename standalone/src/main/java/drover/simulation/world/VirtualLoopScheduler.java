package drover.simulation.world;

import drover.coordinator.engine.loop.LoopScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the loops of one coordinator's process as events. The process can stand still, as one under
 * SIGSTOP does, and can die.
 */
final class VirtualLoopScheduler implements LoopScheduler {
    private final VirtualTime time;
    private final List<RuntimeException> bugs;
    private final Deque<Runnable> waiting = new ArrayDeque<>(); // came while it stood still
    private long frozenUntil;
    private boolean dead;

    VirtualLoopScheduler(VirtualTime time, List<RuntimeException> bugs) {
        this.time = time;
        this.bugs = bugs;
    }

    /** Nothing of it runs until then. */
    void freeze(Duration length) {
        frozenUntil = time.nanos() + length.toNanos();
    }

    /** Nothing of it runs again. */
    void die() {
        dead = true;
    }

    /** Does something in this process, as soon as it runs, and in the order in which it came. */
    void run(Runnable what) {
        if (dead) {
            return;
        }
        if (time.nanos() < frozenUntil || !waiting.isEmpty()) {
            if (waiting.isEmpty()) {
                time.scheduleAt(frozenUntil, this::resume);
            }
            waiting.add(what);
        } else {
            what.run();
        }
    }

    private void resume() {
        if (time.nanos() < frozenUntil) { // it was stopped once more meanwhile
            time.scheduleAt(frozenUntil, this::resume);
            return;
        }
        while (!dead && !waiting.isEmpty()) {
            waiting.remove().run();
        }
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public void reportBug(RuntimeException bug) {
        bugs.add(bug);
    }

    @Override
    public LoopHandle prepare(String name, Loop loop) {
        return new ScheduledLoop(loop);
    }

    private final class ScheduledLoop implements LoopHandle {
        private final Loop loop;
        private long awaited; // the round that counts; others were overtaken by a wake-up
        private boolean resting;
        private boolean woken;
        private boolean over;

        ScheduledLoop(Loop loop) {
            this.loop = loop;
        }

        @Override
        public void start() {
            scheduleNext(Duration.ZERO);
        }

        private void scheduleNext(Duration rest) {
            long round = ++awaited;
            time.scheduleAfter(rest, () -> run(() -> runRound(round)));
        }

        private void runRound(long round) {
            if (over || round != awaited) {
                return;
            }
            resting = false;
            @Nullable Pause rest = loop.runOnce();
            if (over) {
                return;
            }
            if (rest == null) {
                end();
                return;
            }
            resting = rest.wakeable();
            boolean atOnce = resting && woken;
            if (resting) {
                woken = false;
            }
            scheduleNext(atOnce ? Duration.ZERO : rest.length());
        }

        @Override
        public void wake() {
            if (resting && !over) {
                resting = false;
                scheduleNext(Duration.ZERO);
            } else {
                woken = true;
            }
        }

        /** One thread: no round is under way but the caller's own. */
        @Override
        public void finish() {
            stop();
        }

        @Override
        public void stop() {
            if (!over) {
                end();
            }
        }

        private void end() {
            over = true;
            loop.onEnd();
        }

        @Override
        public void join(Duration atMost) {
            // One thread: what could be running is the caller.
        }
    }
}
