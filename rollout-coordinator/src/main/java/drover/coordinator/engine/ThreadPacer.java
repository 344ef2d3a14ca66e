package drover.coordinator.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Runs each loop in a virtual thread of its own. */
public final class ThreadPacer implements Pacer {
    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Running prepare(String name, Loop loop) {
        return new Paced(name, loop);
    }

    private static final class Paced implements Running {
        private final Loop loop;
        private final Nudge nudge = new Nudge();
        private final Thread thread;

        Paced(String name, Loop loop) {
            this.loop = loop;
            this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
        }

        private void run() {
            try {
                @Nullable Rest rest = loop.once();
                while (rest != null && !Thread.currentThread().isInterrupted()) {
                    if (rest.wakeable()) {
                        nudge.await(rest.length());
                    } else {
                        nudge.rest(rest.length());
                    }
                    rest = loop.once();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // it was stopped
            } finally {
                loop.ended();
            }
        }

        @Override
        public void start() {
            thread.start();
        }

        @Override
        public void wake() {
            nudge.give();
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
