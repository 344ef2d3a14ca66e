package drover.opsagent.peers;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.engine.StatusSlot;
import drover.opsagent.time.AutoAdvancingTicker;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HeartbeatIntervalTest {
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration ACTIVE = Duration.ofSeconds(5);

    private final StatusSlot atRest = new StatusSlot(new AutoAdvancingTicker(), () -> {});
    private final HeartbeatSchedule interval = new HeartbeatSchedule(IDLE, ACTIVE);

    private static long at(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    void theFirstHeartbeatOfAStreamIsDueAtOnce() {
        interval.onStreamOpened(at(100));
        assertThat(interval.isDue(at(100))).isTrue();
        assertThat(interval.onHeartbeatSent(at(100), atRest)).isEqualTo(IDLE);
        assertThat(interval.isDue(at(129))).isFalse();
        assertThat(interval.untilDue(at(129))).isEqualTo(Duration.ofSeconds(1));
        assertThat(interval.isDue(at(130))).isTrue();
    }

    @Test
    @DisplayName("A21: a change of health is reported at once by a node at rest")
    void aChangeOfHealthIsDueAtOnce() {
        interval.onStreamOpened(at(0));
        interval.onHeartbeatSent(at(0), atRest);
        interval.onHealthChanged(at(12));
        assertThat(interval.isDue(at(12))).isTrue();
        interval.onHeartbeatSent(at(12), atRest);
        assertThat(interval.isDue(at(41))).isFalse();
        assertThat(interval.isDue(at(42))).isTrue();
    }

    @Test
    @DisplayName("I2: health that keeps changing causes one heartbeat per active interval")
    void delaysHealthThatChangesRepeatedly() {
        interval.onStreamOpened(at(0));
        int sent = 0;
        for (int second = 0; second < 60; second++) {
            interval.onHealthChanged(at(second));
            if (interval.isDue(at(second))) {
                interval.onHeartbeatSent(at(second), atRest);
                sent++;
            }
        }
        assertThat(sent).isEqualTo(60 / (int) ACTIVE.toSeconds());
    }

    @Test
    void aChangeOfHealthNeverDelaysAHeartbeat() {
        interval.onStreamOpened(at(0));
        interval.onHeartbeatSent(at(0), atRest);
        interval.onHealthChanged(at(40));
        assertThat(interval.isDue(at(40))).isTrue();
        interval.onHealthChanged(at(41));
        assertThat(interval.isDue(at(41))).isTrue();
    }
}
