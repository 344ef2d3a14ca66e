package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CommandResponseTimerTest {
    @Test
    void measuresFromTheFirstTellingToTheFirstStatusOfTheAttempt() {
        CommandResponseTimer received =
                CommandResponseTimer.NONE
                        .withCommandSent(100)
                        .withCommandSent(200); // told again: no answer came
        assertThat(received.responseNanos(7, 350)).hasValue(250);
        assertThat(received.withStatusReceived(7).responseNanos(7, 400)).isEmpty();
    }

    @Test
    void aLaterStatusOfTheSameAttemptAnswersNothing() {
        CommandResponseTimer again =
                CommandResponseTimer.NONE
                        .withCommandSent(100)
                        .withStatusReceived(7)
                        .withCommandSent(500);
        assertThat(again.responseNanos(7, 600)).isEmpty();
        assertThat(again.withStatusReceived(7).withCommandSent(1_000).responseNanos(8, 1_200))
                .hasValue(200);
    }

    @Test
    void aStatusWithoutACommandAnswersNothing() {
        assertThat(CommandResponseTimer.NONE.responseNanos(3, 100)).isEmpty();
    }
}
