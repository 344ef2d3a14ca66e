package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LostTermBackoffTest {
    private static final long START = Long.MAX_VALUE - 5; // such a clock runs over at any time

    private final LostTermBackoff rest = new LostTermBackoff();
    private long now = START;

    @Test
    void restsNotAtAllBeforeAnyLoss() {
        assertThat(rest.remainingBackoff(now)).isZero();
        pass(Duration.ofDays(1));
        assertThat(rest.remainingBackoff(now)).isZero();
    }

    @Test
    void countsASecondFromTheLoss() {
        loseAfter(Duration.ofMillis(300));
        assertThat(rest.remainingBackoff(now)).isEqualTo(Duration.ofSeconds(1));
        pass(Duration.ofMillis(999));
        assertThat(rest.remainingBackoff(now)).isEqualTo(Duration.ofMillis(1));
        pass(Duration.ofMillis(1));
        assertThat(rest.remainingBackoff(now)).isZero();
    }

    @Test
    void doublesWithEachLossInARowUpToEightSeconds() {
        assertThat(lossesInARow(6, Duration.ofSeconds(5)))
                .extracting(Duration::toSeconds)
                .containsExactly(1L, 2L, 4L, 8L, 8L, 8L);
    }

    @Test
    void startsAgainAfterATermThatLasted() {
        assertThat(lossesInARow(3, Duration.ofSeconds(59))).last().isEqualTo(seconds(4));
        loseAfter(Duration.ofSeconds(60));
        assertThat(rest.remainingBackoff(now)).isEqualTo(seconds(1));
        loseAfter(Duration.ofSeconds(1));
        assertThat(rest.remainingBackoff(now)).isEqualTo(seconds(2));
    }

    @Test
    void leadsAtOnceWhenItIsElectedAgain() {
        assertThat(lossesInARow(3, Duration.ofSeconds(1))).last().isEqualTo(seconds(4));
        rest.reset();
        assertThat(rest.remainingBackoff(now)).isZero();
        loseAfter(Duration.ofSeconds(1));
        assertThat(rest.remainingBackoff(now)).isEqualTo(seconds(1));
    }

    /** The rest after each of them. */
    private List<Duration> lossesInARow(int losses, Duration term) {
        List<Duration> rests = new ArrayList<>();
        for (int loss = 0; loss < losses; loss++) {
            loseAfter(term);
            rests.add(rest.remainingBackoff(now));
        }
        return rests;
    }

    private void loseAfter(Duration term) {
        pass(rest.remainingBackoff(now));
        rest.recordTermStart(now);
        pass(term);
        rest.recordTermLoss(now);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
