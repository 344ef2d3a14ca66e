package drover.opsagent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RestartBackoffTest {
    private static final long START = Long.MAX_VALUE - 1; // nanoseconds may overflow

    private final RestartBackoff backoff = new RestartBackoff();

    @Test
    @DisplayName("Three starts within 5 minutes are a crash loop, two are not")
    void findsACrashLoopAtTheThirdStart() {
        backoff.recordStart(after(0));
        backoff.recordStart(after(10));
        assertThat(backoff.isCrashLooping(after(10))).isFalse();

        backoff.recordStart(after(300));

        assertThat(backoff.isCrashLooping(after(300))).isTrue();
    }

    @Test
    @DisplayName("A crash loop ends when fewer than three starts lie within 5 minutes")
    void endsACrashLoopFiveMinutesAfterTheThirdLatestStart() {
        List.of(0, 10, 20).forEach(second -> backoff.recordStart(after(second)));

        assertThat(backoff.isCrashLooping(after(300))).isTrue();
        assertThat(backoff.isCrashLooping(after(301))).isFalse();
    }

    @Test
    void endsACrashLoopAtAStartOnPurpose() {
        List.of(0, 1, 2).forEach(second -> backoff.recordStart(after(second)));

        backoff.reset();

        assertThat(backoff.isCrashLooping(after(2))).isFalse();
        assertThat(backoff.isDue(after(2))).isTrue();
    }

    @Test
    @DisplayName("The first restart is immediate; intervals double from 1 s up to 32 s")
    void doublesTheInterval() {
        assertThat(backoff.isDue(after(0))).isTrue();
        long now = 0;
        for (int seconds : List.of(1, 2, 4, 8, 16, 32, 32, 32)) {
            backoff.recordStart(after(now));
            assertThat(backoff.isDue(after(now + seconds) - 1)).as("%d s", seconds).isFalse();
            assertThat(backoff.isDue(after(now + seconds))).as("%d s", seconds).isTrue();
            now += seconds;
        }
    }

    @Test
    void describesOneCrashPerRun() {
        backoff.recordCrash("run-1", after(0), () -> "with exit code 1");
        backoff.recordCrash("run-1", after(1), () -> "with exit code 2");

        assertThat(backoff.describeLastCrash(after(1))).isEqualTo("with exit code 1");
        assertThat(backoff.lastCrashedRunId()).isEqualTo("run-1");
    }

    @Test
    @DisplayName("A crash is described for 5 minutes after a restart, and without limit while down")
    void forgetsACrashFiveMinutesAfterIt() {
        backoff.recordCrash("run-1", after(0), () -> "with exit code 1");
        assertThat(backoff.describeLastCrash(after(3_600))).isEqualTo("with exit code 1");

        backoff.recordStart(after(3_600));

        assertThat(backoff.describeLastCrash(after(300))).isEqualTo("with exit code 1");
        assertThat(backoff.describeLastCrash(after(301))).isEmpty();
    }

    @Test
    void statesHowLongACrashLoopLasts() {
        assertThat(RestartBackoff.describeCrashLoop("with exit code 3 (it printed nothing)", ""))
                .isEqualTo(
                        "The program crashes repeatedly (3 starts within 5 minutes), most recently"
                                + " with exit code 3 (it printed nothing). This finding ends when"
                                + " fewer than 3 starts lie within 5 minutes.");
        assertThat(RestartBackoff.describeCrashLoop("", ""))
                .startsWith("The program crashes repeatedly (3 starts within 5 minutes): read its");
    }

    private static long after(long seconds) {
        return START + Duration.ofSeconds(seconds).toNanos();
    }
}
