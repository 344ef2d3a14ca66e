package drover.coordinator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WorkTimesTest {
    private final RolloutAndNodeDurationTracker times = new RolloutAndNodeDurationTracker();

    @Test
    void aNodeIsAtWorkFromItsAllotmentToItsDecision() {
        assertThat(node(10, "pending", "assigned")).isEmpty();
        assertThat(node(20, "assigned", "upgrading")).isEmpty();
        assertThat(node(30, "upgrading", "settling")).isEmpty();
        assertThat(node(50, "settling", "succeeded"))
                .containsExactly(
                        new FinishedWork.FinishedNode("succeeded", Duration.ofSeconds(40)));
    }

    @Test
    void theWayBackAfterAFailedGateBelongsToTheUpgrade() {
        node(10, "pending", "assigned");
        node(20, "settling", "restoring");
        assertThat(node(70, "restoring", "failed"))
                .containsExactly(new FinishedWork.FinishedNode("failed", Duration.ofSeconds(60)));
    }

    @Test
    void aRollbackIsMeasuredFromWhenItTakesTheNodeUp() {
        node(10, "pending", "assigned");
        node(20, "settling", "succeeded");
        node(1_000, "succeeded", "restoring");
        assertThat(node(1_030, "restoring", "rolled_back"))
                .containsExactly(
                        new FinishedWork.FinishedNode("rolled_back", Duration.ofSeconds(30)));
    }

    @Test
    void aNodeThatIsTriedAgainStartsAgain() {
        node(10, "pending", "assigned");
        node(20, "assigned", "pending"); // withdrawn
        assertThat(node(30, "pending", "skipped"))
                .containsExactly(new FinishedWork.FinishedNode("skipped", null));
        node(40, "skipped", "pending");
        node(100, "pending", "assigned");
        assertThat(node(101, "upgrading", "failed"))
                .containsExactly(new FinishedWork.FinishedNode("failed", Duration.ofSeconds(1)));
    }

    @Test
    void joiningAnotherBatchIsNoDecision() {
        assertThat(node(10, "failed", "failed")).isEmpty();
    }

    @Test
    void pausesOfARolloutCount() {
        rollout(0, "pending", "running");
        rollout(10, "running", "paused");
        rollout(100, "paused", "running");
        assertThat(rollout(110, "running", "completed"))
                .containsExactly(
                        new FinishedWork.FinishedRollout("completed", Duration.ofSeconds(110)));
    }

    @Test
    void whatNeverStartedHasNoDuration() {
        assertThat(rollout(10, "pending", "cancelled"))
                .containsExactly(new FinishedWork.FinishedRollout("cancelled", null));
    }

    @Test
    void theRollbackOfAnEndedRolloutIsMeasuredByItself() {
        rollout(0, "pending", "running");
        rollout(10, "running", "completed");
        rollout(5_000, "completed", "rolling_back");
        rollout(5_010, "rolling_back", "paused");
        rollout(5_020, "paused", "rolling_back");
        assertThat(rollout(5_060, "rolling_back", "rolled_back"))
                .containsExactly(
                        new FinishedWork.FinishedRollout("rolled_back", Duration.ofSeconds(60)));
    }

    private List<FinishedWork> node(long second, String from, String to) {
        return times.applyCommitted(
                List.of(new HistoryEntryForMetrics(at(second), "node", "n", from, to)));
    }

    private List<FinishedWork> rollout(long second, String from, String to) {
        return times.applyCommitted(
                List.of(new HistoryEntryForMetrics(at(second), "rollout", "", from, to)));
    }

    private static Instant at(long second) {
        return Instant.ofEpochSecond(second);
    }
}
