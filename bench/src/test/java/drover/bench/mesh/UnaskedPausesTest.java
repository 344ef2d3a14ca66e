package drover.bench.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Cause;
import drover.coordinator.store.HistoryRow;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnaskedPausesTest {
    private static HistoryRow paused(String actor, String code) {
        return new HistoryRow(
                Instant.EPOCH, 1, actor, "rollout", "", "running", "paused", new Cause(code, ""));
    }

    @Test
    void aPauseThatNoClientAskedForIsFound() {
        HistoryRow asked = paused("alice", "OPERATOR");
        HistoryRow unasked = paused("drover", "HEALTH_UNAVAILABLE");

        assertThat(MeshCheck.unasked(List.of(asked, unasked))).containsExactly(unasked);
    }
}
