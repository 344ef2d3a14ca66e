package drover.coordinator.plan.observed;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimingsTest {
    @Test
    void theEightActionsHave550SecondsAndAnAttemptTwiceThatPlusTransport() {
        assertThat(RolloutTimeouts.ACTIONS).isEqualTo(Duration.ofSeconds(550));
        assertThat(RolloutTimeouts.STANDARD.work()).isEqualTo(Duration.ofSeconds(1_220));
    }
}
