package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HeartbeatSlotTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:10Z");
    private static final long TEN_SECONDS = 10_000_000_000L;

    @Test
    void aClockIsComparedWithTheMomentAtWhichTheHeartbeatCame() {
        // It came ten seconds ago, at 00:00:00, when the node's clock showed a minute more.
        LatestHeartbeat slot = slot(Optional.of(Instant.parse("2026-01-01T00:01:00Z")));

        assertThat(slot.clockAhead(TEN_SECONDS, NOW)).contains(Duration.ofMinutes(1));
    }

    @Test
    void aClockThatIsBehindIsNegativelyAhead() {
        LatestHeartbeat slot = slot(Optional.of(Instant.parse("2025-12-31T23:59:53Z")));

        assertThat(slot.clockAhead(TEN_SECONDS, NOW)).contains(Duration.ofSeconds(-7));
    }

    @Test
    void agentWithoutATimeHasNoClockOffset() {
        assertThat(slot(Optional.empty()).clockAhead(TEN_SECONDS, NOW)).isEmpty();
    }

    private static LatestHeartbeat slot(Optional<Instant> sentAt) {
        return new LatestHeartbeat(
                new TestMessage("beat"),
                0,
                NodeHealth.worstOf(List.of()),
                Map.of(),
                List.of(),
                sentAt);
    }
}
