package drover.coordinator.engine.loop;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs each loop in a virtual thread of its own. */
public final class ThreadLoopScheduler implements LoopScheduler {
    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public LoopHandle prepare(String name, Loop loop) {
        return new LoopThread(name, loop);
    }

    private static final class LoopThread implements LoopHandle {
        private final Loop loop;
        private final WakeupSignal wakeup = new WakeupSignal();
        private final CountDownLatch finishing = new CountDownLatch(1);
        private final Thread thread;

        LoopThread(String name, Loop loop) {
            this.loop = loop;
            this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
        }

        private void run() {
            try {
                @Nullable Pause rest = finishing.getCount() == 0 ? null : loop.runOnce();
                while (rest != null && awaitNextRound(rest)) {
                    rest = loop.runOnce();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // it was stopped
            } finally {
                loop.onEnd();
            }
        }

        private boolean awaitNextRound(Pause rest) throws InterruptedException {
            boolean finishes;
            if (rest.wakeable()) {
                wakeup.await(rest.length());
                finishes = finishing.getCount() == 0;
            } else { // what is nudged meanwhile is kept
                finishes = finishing.await(rest.length().toNanos(), TimeUnit.NANOSECONDS);
            }
            return !finishes && !Thread.currentThread().isInterrupted();
        }

        @Override
        public void start() {
            thread.start();
        }

        @Override
        public void wake() {
            wakeup.signal();
        }

        @Override
        public void finish() {
            finishing.countDown();
            wakeup.signal();
        }

        @Override
        public void stop() {
            thread.interrupt();
        }

        @Override
        public void join(Duration atMost) {
            try {
                boolean waits = !thread.equals(Thread.currentThread()) && thread.isAlive();
                if (waits && atMost.isPositive()) {
                    thread.join(atMost);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
