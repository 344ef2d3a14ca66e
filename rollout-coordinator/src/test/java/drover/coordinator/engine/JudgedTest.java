package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.HealthVerdict;
import drover.coordinator.plan.Timings;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JudgedTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = EARLY.plusSeconds(60);
    private static final Instant LATER = EARLY.plusSeconds(90);
    private static final HealthVerdict SILENT = new HealthVerdict.NoData(1, "Nothing.");
    private static final HealthVerdict SETTLING = settling(1);

    private static HealthVerdict settling(long attempt) {
        return new HealthVerdict.Settling(attempt, "It is not up.");
    }

    @Test
    void isHeardSinceTheFirstThatWasSaid() {
        Judged later = Judged.first(SETTLING, EARLY).then(SETTLING, LATE);

        assertThat(later.heardSince()).isEqualTo(EARLY);
        assertThat(later.unheardSince()).isNull();
    }

    @Test
    void isHeardAnewAfterABreak() {
        Judged unheard = Judged.first(SETTLING, EARLY).then(SILENT, LATE);
        Judged again = unheard.then(SETTLING, LATER);

        assertThat(unheard.heardSince()).isNull();
        assertThat(again.heardSince()).isEqualTo(LATER);
        assertThat(again.unheardSince()).isNull();
    }

    @Test
    void isHeardAnewInAnotherAttempt() {
        Judged other = Judged.first(SETTLING, EARLY).then(settling(2), LATE);

        assertThat(other.heardSince()).isEqualTo(LATE);
    }

    @Test
    void aSilenceLastsSinceItsFirstMoment() {
        Judged unheard = Judged.first(SETTLING, EARLY).then(SILENT, LATE);

        assertThat(unheard.unheardSince()).isEqualTo(LATE);
        assertThat(unheard.then(SILENT, LATER).unheardSince()).isEqualTo(LATE);
    }

    @Test
    void whatWasNeverHeardOfFellSilentAtNoMoment() {
        Judged never = Judged.first(SILENT, EARLY).then(SILENT, LATE);
        Judged another = Judged.first(settling(2), EARLY).then(SILENT, LATE);

        assertThat(never.unheardSince()).isNull();
        assertThat(another.unheardSince()).as("of another attempt").isNull();
    }

    @Test
    void whatAnotherOneIsAskedOfIsUnheardUntilItSpeaks() {
        Judged moved = Judged.elsewhere(Judged.first(SETTLING, EARLY), 1, LATE);

        assertThat(moved.verdict()).isInstanceOf(HealthVerdict.NoData.class);
        assertThat(moved.unheardSince()).isEqualTo(LATE);
        assertThat(moved.movedAt()).isEqualTo(LATE);
        assertThat(moved.then(SETTLING, LATER).movedAt()).isEqualTo(LATE);
        assertThat(moved.then(settling(2), LATER).movedAt()).as("another attempt").isNull();
    }

    @Test
    @DisplayName("what is heard keeps its deadline when another one is asked that speaks in time")
    void askingAnotherOneIsNoBreak() {
        Judged moved = Judged.elsewhere(Judged.first(SETTLING, EARLY), 1, LATE);

        assertThat(moved.then(SETTLING, LATER).heardSince()).isEqualTo(EARLY);
        assertThat(moved.then(SILENT, LATE).then(SETTLING, LATER).heardSince())
                .as("at first it had no heartbeat yet")
                .isEqualTo(EARLY);
        assertThat(moved.then(SETTLING, LATER).unheardSince()).isNull();
        assertThat(moved.then(settling(2), LATER).heardSince())
                .as("another attempt")
                .isEqualTo(LATER);
    }

    @Test
    void aSilenceAfterAskingAnotherOneIsABreakLikeAnyOther() {
        Judged moved = Judged.elsewhere(Judged.first(SETTLING, EARLY), 1, LATE);
        Instant deaf = LATE.plus(Timings.DEAF);

        assertThat(moved.then(SETTLING, deaf).heardSince()).isEqualTo(deaf);
        assertThat(moved.then(SILENT, LATER).then(SETTLING, deaf).heardSince()).isEqualTo(deaf);
        assertThat(Judged.elsewhere(moved, 1, LATER).then(SETTLING, deaf).heardSince())
                .as("asked of a third one meanwhile")
                .isEqualTo(deaf);
        assertThat(moved.then(SETTLING, LATE).then(SILENT, LATER).heardSince())
                .as("silent at the new one")
                .isNull();
        Judged silent = Judged.first(SETTLING, EARLY).then(SILENT, EARLY.plusSeconds(20));
        assertThat(Judged.elsewhere(silent, 1, LATE).then(SETTLING, LATER).heardSince())
                .as("silent before, at the first one")
                .isEqualTo(LATER);
    }

    @Test
    void aSilenceKeepsItsBeginningWhenAnotherOneIsAsked() {
        Judged silent = Judged.first(SETTLING, EARLY).then(SILENT, LATE);

        assertThat(Judged.elsewhere(silent, 1, LATER).unheardSince()).isEqualTo(LATE);
        assertThat(Judged.elsewhere(null, 1, LATER).unheardSince())
                .as("of which nothing was ever heard")
                .isNull();
    }

    @Test
    @DisplayName("R3: whoever is asked once an evaluator is lost has its time")
    void aSilenceBeginsWithTheLossOfItsEvaluator() {
        Judged anew = Judged.anew(1, LATE);

        assertThat(anew.verdict()).isInstanceOf(HealthVerdict.NoData.class);
        assertThat(anew.unheardSince()).isEqualTo(LATE);
        assertThat(anew.then(SILENT, LATER).unheardSince()).isEqualTo(LATE);
        assertThat(anew.then(SETTLING, LATER).heardSince()).isEqualTo(LATER);
    }
}
