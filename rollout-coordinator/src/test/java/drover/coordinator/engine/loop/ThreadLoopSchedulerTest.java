package drover.coordinator.engine.loop;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Waits;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadLoopSchedulerTest {
    private static final Duration SOON = Waits.LIMIT;
    private static final Duration LONG = Duration.ofHours(1);

    /** Counts its rounds, and rests for an hour after each. */
    private static final class Rounds implements LoopScheduler.Loop {
        private final AtomicInteger startedNanos = new AtomicInteger();
        private final AtomicBoolean interrupted = new AtomicBoolean();
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch goOn;
        private final CountDownLatch ended = new CountDownLatch(1);
        private final boolean wakeable;

        Rounds(boolean wakeable, int held) {
            this.wakeable = wakeable;
            this.goOn = new CountDownLatch(held);
        }

        @Override
        public LoopScheduler.@Nullable Pause runOnce() {
            startedNanos.incrementAndGet();
            entered.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return new LoopScheduler.Pause(LONG, wakeable);
        }

        @Override
        public void onEnd() {
            ended.countDown();
        }
    }

    private static LoopScheduler.LoopHandle started(Rounds rounds) throws InterruptedException {
        LoopScheduler.LoopHandle running = new ThreadLoopScheduler().prepare("rounds", rounds);
        running.start();
        assertThat(rounds.entered.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return running;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRestEndsAtOnceWhenItFinishes(boolean wakeable) throws InterruptedException {
        Rounds rounds = new Rounds(wakeable, 0);
        LoopScheduler.LoopHandle running = started(rounds);

        running.finish();

        assertThat(rounds.ended.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(rounds.startedNanos).hasValue(1);
        assertThat(rounds.interrupted).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRoundThatIsUnderWayIsItsLast(boolean wakeable) throws InterruptedException {
        Rounds rounds = new Rounds(wakeable, 1);
        LoopScheduler.LoopHandle running = started(rounds);

        running.finish();
        rounds.goOn.countDown();
        running.join(SOON);

        assertThat(rounds.ended.getCount()).isZero();
        assertThat(rounds.startedNanos).hasValue(1);
        assertThat(rounds.interrupted).isFalse();
    }

    @Test
    void whatIsStoppedIsBrokenOff() throws InterruptedException {
        Rounds rounds = new Rounds(true, 1);
        LoopScheduler.LoopHandle running = started(rounds);
        running.finish();

        running.stop();
        running.join(SOON);

        assertThat(rounds.ended.getCount()).isZero();
        assertThat(rounds.interrupted).isTrue();
    }
}
