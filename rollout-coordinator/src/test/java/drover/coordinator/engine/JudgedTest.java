package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.HealthVerdict;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class JudgedTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = EARLY.plusSeconds(60);

    private static Judged silent(Instant at) {
        return Judged.first(new HealthVerdict.NoData(1, "Nothing."), at);
    }

    private static Judged settling(long attempt, Instant at) {
        return Judged.first(new HealthVerdict.Settling(attempt, "It is not up."), at);
    }

    @Test
    void isHeardSinceTheFirstThatWasSaid() {
        Judged later = settling(1, EARLY).then(settling(1, LATE));

        assertThat(later.heardSince()).isEqualTo(EARLY);
    }

    @Test
    void isHeardAnewAfterABreak() {
        Judged unheard = settling(1, EARLY).then(silent(LATE));
        Judged again = unheard.then(settling(1, LATE));

        assertThat(unheard.heardSince()).isNull();
        assertThat(again.heardSince()).isEqualTo(LATE);
    }

    @Test
    void isHeardAnewInAnotherAttempt() {
        assertThat(settling(1, EARLY).then(settling(2, LATE)).heardSince()).isEqualTo(LATE);
    }
}
