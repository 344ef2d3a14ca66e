package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CommandResponseTimeTest {
    @Test
    void measuresFromTheFirstTellingToTheFirstStatusOfTheAttempt() {
        CommandResponseTime received =
                CommandResponseTime.NONE.sent(100).sent(200); // told again: no answer came
        assertThat(received.nanosUntil(7, 350)).hasValue(250);
        assertThat(received.statusReceived(7).nanosUntil(7, 400)).isEmpty();
    }

    @Test
    void aLaterStatusOfTheSameAttemptAnswersNothing() {
        CommandResponseTime again = CommandResponseTime.NONE.sent(100).statusReceived(7).sent(500);
        assertThat(again.nanosUntil(7, 600)).isEmpty();
        assertThat(again.statusReceived(7).sent(1_000).nanosUntil(8, 1_200)).hasValue(200);
    }

    @Test
    void aStatusWithoutACommandAnswersNothing() {
        assertThat(CommandResponseTime.NONE.nanosUntil(3, 100)).isEmpty();
    }
}
