package drover.coordinator.store.check;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.check.ObservationChecker.AttemptStatusRecord;
import drover.coordinator.store.check.ObservationChecker.ClientResponse;
import drover.coordinator.store.check.ObservationChecker.NodeAndInstalledDigest;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.coordinator.store.rollout.HistoryEntry;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ObservationCheckerTest {
    private static final List<HistoryEntry> PAUSED_ONCE =
            List.of(row("alice", "STARTED"), row("alice", "OPERATOR"), row("drover", "OPERATOR"));

    private static HistoryEntry row(String actor, String code) {
        return new HistoryEntry(
                Instant.EPOCH, 1, actor, "rollout", "", "running", "paused", new Cause(code, ""));
    }

    private static List<String> paused(ResponseOutcome... words) {
        return ObservationChecker.requestViolations(
                PAUSED_ONCE,
                List.of(words).stream()
                        .map(word -> new ClientResponse("alice", "OPERATOR", word))
                        .toList());
    }

    @Test
    void acknowledgedFindingsAreSent() {
        assertThat(paused(ResponseOutcome.APPLIED)).isEmpty();
        assertThat(paused(ResponseOutcome.APPLIED, ResponseOutcome.REFUSED)).isEmpty();
    }

    @Test
    void aNodeThatWasSkippedByThePersonWhoPausesIsAnotherMatter() {
        HistoryEntry skipped =
                new HistoryEntry(
                        Instant.EPOCH,
                        1,
                        "alice",
                        "node",
                        "a",
                        "pending",
                        "skipped",
                        new Cause("OPERATOR", ""));
        assertThat(
                        ObservationChecker.requestViolations(
                                List.of(skipped),
                                List.of(
                                        new ClientResponse(
                                                "alice", "OPERATOR", ResponseOutcome.REFUSED))))
                .isEmpty();
    }

    @Test
    void unansweredRequestMayHaveBeenApplied() {
        assertThat(paused(ResponseOutcome.NONE)).isEmpty();
        assertThat(paused(ResponseOutcome.APPLIED, ResponseOutcome.NONE)).isEmpty();
    }

    @Test
    @DisplayName("B8: what is acknowledged and not told is seen")
    void seesWhatWasLost() {
        assertThat(paused(ResponseOutcome.APPLIED, ResponseOutcome.APPLIED))
                .containsExactly(
                        "B8: OPERATOR by alice is told 1 times, and was acknowledged 2 times");
    }

    @Test
    @DisplayName("B8: what is told and was refused, or told twice, is seen")
    void seesWhatWasDoneTwice() {
        assertThat(paused(ResponseOutcome.REFUSED)).singleElement().asString().startsWith("B8");
        assertThat(
                        ObservationChecker.requestViolations(
                                List.of(row("alice", "OPERATOR"), row("alice", "OPERATOR")),
                                List.of(
                                        new ClientResponse(
                                                "alice", "OPERATOR", ResponseOutcome.APPLIED))))
                .singleElement()
                .asString()
                .startsWith("B8");
    }

    @Test
    @DisplayName("C1: a start that is not told, a missing one and another order are seen")
    void seesOtherStarts() {
        List<NodeAndInstalledDigest> received =
                List.of(
                        new NodeAndInstalledDigest("a", "2"),
                        new NodeAndInstalledDigest("b", "2"),
                        new NodeAndInstalledDigest("a", "1"));
        assertThat(ObservationChecker.startViolations(received, received)).isEmpty();
        assertThat(ObservationChecker.startViolations(received, received.subList(0, 2)))
                .containsExactly("C1: on a were started [2], and history tells of [2, 1]");
        assertThat(ObservationChecker.startViolations(received.subList(0, 2), received)).hasSize(1);
        assertThat(ObservationChecker.startViolations(received, received.reversed())).hasSize(1);
        assertThat(ObservationChecker.startViolations(List.of(), received)).hasSize(2);
    }

    private static AttemptStatusRecord status(
            long attempt, long sequence, String outcome, boolean open) {
        return new AttemptStatusRecord("a", attempt, sequence, outcome, open);
    }

    private static HistoryEntry moved(String from, String to) {
        return new HistoryEntry(
                Instant.EPOCH, 1, "drover", "node", "a", from, to, new Cause("PROGRESS", ""));
    }

    @Test
    @DisplayName("C10: an acknowledged status that is not written down is seen")
    void seesAStatusThatWasLost() {
        AttemptStatusRecord done = status(1, 7_000, "SUCCEEDED", false);
        List<HistoryEntry> received =
                List.of(
                        moved("pending", "assigned"),
                        moved("assigned", "upgrading"),
                        moved("upgrading", "settling"));
        assertThat(ObservationChecker.lostStatusViolations(List.of(done), List.of(done), received))
                .isEmpty();
        assertThat(
                        ObservationChecker.lostStatusViolations(
                                List.of(status(1, 3_000, "IN_PROGRESS", true), done),
                                List.of(done),
                                received))
                .as("a later one stands for it")
                .isEmpty();
        assertThat(ObservationChecker.lostStatusViolations(List.of(done), List.of(), received))
                .hasSize(1);
        assertThat(
                        ObservationChecker.lostStatusViolations(
                                List.of(done),
                                List.of(status(1, 6_000, "IN_PROGRESS", true)),
                                received))
                .hasSize(1);
        assertThat(
                        ObservationChecker.lostStatusViolations(
                                List.of(done),
                                List.of(status(1, 7_000, "FAILED", false)),
                                received))
                .as("another end")
                .hasSize(1);
    }

    @Test
    @DisplayName("C10: an acknowledged end of which history does not tell is seen")
    void findsAnUnreportedEnd() {
        AttemptStatusRecord first = status(1, 7_000, "SUCCEEDED", false);
        AttemptStatusRecord second = status(2, 7_000, "SUCCEEDED", false);
        List<AttemptStatusRecord> both = List.of(first, second, second);
        List<HistoryEntry> once = List.of(moved("upgrading", "settling"));
        assertThat(ObservationChecker.lostStatusViolations(both, both, once))
                .singleElement()
                .asString()
                .startsWith("C10: a was acknowledged the end of attempts [1, 2]");
        List<HistoryEntry> twice = List.of(once.getFirst(), moved("assigned", "settling"));
        assertThat(ObservationChecker.lostStatusViolations(both, both, twice)).isEmpty();
    }
}
