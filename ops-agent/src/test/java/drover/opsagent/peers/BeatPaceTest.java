package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.engine.StatusSlot;
import drover.opsagent.time.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BeatPaceTest {
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration ACTIVE = Duration.ofSeconds(5);

    private final StatusSlot atRest = new StatusSlot(new ManualTicker(), () -> {});
    private final BeatPace pace = new BeatPace(IDLE, ACTIVE);

    private static long at(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void theFirstHeartbeatOfAStreamIsDueAtOnce() {
        pace.opened(at(100));
        assertThat(pace.isDue(at(100))).isTrue();
        assertThat(pace.sent(at(100), atRest)).isEqualTo(IDLE);
        assertThat(pace.isDue(at(129))).isFalse();
        assertThat(pace.untilDue(at(129))).isEqualTo(Duration.ofSeconds(1));
        assertThat(pace.isDue(at(130))).isTrue();
    }

    @Test
    @DisplayName("A21: a change of health is reported at once by a node at rest")
    void aChangeOfHealthIsDueAtOnce() {
        pace.opened(at(0));
        pace.sent(at(0), atRest);
        pace.healthChanged(at(12));
        assertThat(pace.isDue(at(12))).isTrue();
        pace.sent(at(12), atRest);
        assertThat(pace.isDue(at(41))).isFalse();
        assertThat(pace.isDue(at(42))).isTrue();
    }

    @Test
    @DisplayName("I2: health that keeps changing causes one heartbeat per active interval")
    void healthThatKeepsChangingIsHeldBack() {
        pace.opened(at(0));
        int sent = 0;
        for (int second = 0; second < 60; second++) {
            pace.healthChanged(at(second));
            if (pace.isDue(at(second))) {
                pace.sent(at(second), atRest);
                sent++;
            }
        }
        assertThat(sent).isEqualTo(60 / (int) ACTIVE.toSeconds());
    }

    @Test
    void aChangeOfHealthNeverDelaysAHeartbeat() {
        pace.opened(at(0));
        pace.sent(at(0), atRest);
        pace.healthChanged(at(40));
        assertThat(pace.isDue(at(40))).isTrue();
        pace.healthChanged(at(41));
        assertThat(pace.isDue(at(41))).isTrue();
    }
}
