package drover.coordinator.store.check;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.rollout.HistoryEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HistoryInvariantsTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    private final List<HistoryEntry> rows =
            new ArrayList<>(
                    List.of(
                            row(0, "rollout", "", "", "pending"),
                            row(4, "rollout", "", "pending", "running"),
                            row(4, "node", "a", "pending", "assigned"),
                            row(5, "node", "a", "assigned", "upgrading"),
                            row(5, "node", "a", "upgrading", "succeeded"),
                            row(5, "rollout", "", "running", "completed")));

    @Test
    void eventsOfARolloutAreInOrder() {
        assertThat(HistoryInvariants.violations(rows)).isEmpty();
        rows.add(row(6, "rollout", "", "completed", "rolling_back"));
        assertThat(HistoryInvariants.violations(rows)).isEmpty();
    }

    @Test
    @DisplayName("B1: an earlier leader that still writes is seen")
    void seesAnEarlierLeader() {
        rows.set(4, row(4, "node", "a", "upgrading", "succeeded"));
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("B1");
    }

    @Test
    @DisplayName("G1: a move that is not told, or told twice, is seen")
    void seesAGap() {
        rows.remove(3);
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("G1");
    }

    @Test
    @DisplayName("A12: work that is given while the rollout is paused is seen")
    void seesWorkGivenInAPause() {
        rows.add(2, row(4, "rollout", "", "running", "paused"));
        rows.add(4, row(4, "rollout", "", "paused", "running"));
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("A12");
    }

    @Test
    @DisplayName("A17: a rollout that goes on after its end is seen")
    void seesALifeAfterTheEnd() {
        rows.add(row(5, "rollout", "", "completed", "running"));
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("A17");
    }

    @Test
    @DisplayName("A11: a completed rollout with a node that was not proven is seen")
    void seesACompletionTooSoon() {
        rows.remove(4);
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("A11");
    }

    @Test
    @DisplayName("A5: a batch that is begun before the one before it has passed its gate is seen")
    void seesABatchStartedTooSoon() {
        rows.add(2, row(4, "batch 1", "", "pending", "awaiting_approval"));
        rows.add(3, row(4, "batch 2", "", "pending", "dispatching"));
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("A5");
        rows.add(3, row(4, "batch 1", "", "awaiting_approval", "promoted"));
        assertThat(HistoryInvariants.violations(rows)).isEmpty();
    }

    @Test
    @DisplayName("A1: two batches in flight are seen, however it came to that")
    void seesTwoBatchesInFlight() {
        rows.add(2, row(4, "batch 1", "", "pending", "promoted"));
        rows.add(3, row(4, "batch 2", "", "pending", "settling"));
        assertThat(HistoryInvariants.violations(rows)).isEmpty();
        rows.add(4, row(4, "batch 1", "", "promoted", "dispatching"));
        assertThat(HistoryInvariants.violations(rows)).singleElement().asString().startsWith("A1:");
    }

    private static HistoryEntry row(
            long epoch, String subject, String node, String from, String to) {
        return new HistoryEntry(
                AT, epoch, "drover", subject, node, from, to, new Cause("CODE", "Why."));
    }
}
