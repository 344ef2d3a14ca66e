package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CommandWaitTest {
    @Test
    void measuresFromTheFirstTellingToTheFirstStatusOfTheAttempt() {
        CommandWait told = CommandWait.NONE.told(100).told(200); // told again: no answer came
        assertThat(told.nanosUntil(7, 350)).hasValue(250);
        assertThat(told.heard(7).nanosUntil(7, 400)).isEmpty();
    }

    @Test
    void aLaterStatusOfTheSameAttemptAnswersNothing() {
        CommandWait toldAgain = CommandWait.NONE.told(100).heard(7).told(500);
        assertThat(toldAgain.nanosUntil(7, 600)).isEmpty();
        assertThat(toldAgain.heard(7).told(1_000).nanosUntil(8, 1_200)).hasValue(200);
    }

    @Test
    void aStatusWithoutACommandAnswersNothing() {
        assertThat(CommandWait.NONE.nanosUntil(3, 100)).isEmpty();
    }
}
