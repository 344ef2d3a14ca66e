package drover.coordinator.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Cause;
import drover.coordinator.store.WitnessRules.Answer;
import drover.coordinator.store.WitnessRules.Brought;
import drover.coordinator.store.WitnessRules.Reported;
import drover.coordinator.store.WitnessRules.Word;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WitnessRulesTest {
    private static final List<HistoryRow> PAUSED_ONCE =
            List.of(row("alice", "STARTED"), row("alice", "OPERATOR"), row("drover", "OPERATOR"));

    private static HistoryRow row(String actor, String code) {
        return new HistoryRow(
                Instant.EPOCH, 1, actor, "rollout", "", "running", "paused", new Cause(code, ""));
    }

    private static List<String> paused(Word... words) {
        return WitnessRules.unanswered(
                PAUSED_ONCE,
                List.of(words).stream()
                        .map(word -> new Answer("alice", "OPERATOR", word))
                        .toList());
    }

    @Test
    void whatIsAcknowledgedIsTold() {
        assertThat(paused(Word.APPLIED)).isEmpty();
        assertThat(paused(Word.APPLIED, Word.REFUSED)).isEmpty();
    }

    @Test
    void aNodeThatWasSkippedByThePersonWhoPausesIsAnotherMatter() {
        HistoryRow skipped =
                new HistoryRow(
                        Instant.EPOCH,
                        1,
                        "alice",
                        "node",
                        "a",
                        "pending",
                        "skipped",
                        new Cause("OPERATOR", ""));
        assertThat(
                        WitnessRules.unanswered(
                                List.of(skipped),
                                List.of(new Answer("alice", "OPERATOR", Word.REFUSED))))
                .isEmpty();
    }

    @Test
    void whoHeardNothingMayHaveBeenHeard() {
        assertThat(paused(Word.NONE)).isEmpty();
        assertThat(paused(Word.APPLIED, Word.NONE)).isEmpty();
    }

    @Test
    @DisplayName("B8: what is acknowledged and not told is seen")
    void seesWhatWasLost() {
        assertThat(paused(Word.APPLIED, Word.APPLIED))
                .containsExactly(
                        "B8: OPERATOR by alice is told 1 times, and was acknowledged 2 times");
    }

    @Test
    @DisplayName("B8: what is told and was refused, or told twice, is seen")
    void seesWhatWasDoneTwice() {
        assertThat(paused(Word.REFUSED)).singleElement().asString().startsWith("B8");
        assertThat(
                        WitnessRules.unanswered(
                                List.of(row("alice", "OPERATOR"), row("alice", "OPERATOR")),
                                List.of(new Answer("alice", "OPERATOR", Word.APPLIED))))
                .singleElement()
                .asString()
                .startsWith("B8");
    }

    @Test
    @DisplayName("C1: a start that is not told, a missing one and another order are seen")
    void seesOtherStarts() {
        List<Brought> told =
                List.of(new Brought("a", "2"), new Brought("b", "2"), new Brought("a", "1"));
        assertThat(WitnessRules.otherwise(told, told)).isEmpty();
        assertThat(WitnessRules.otherwise(told, told.subList(0, 2)))
                .containsExactly("C1: on a were started [2], and history tells of [2, 1]");
        assertThat(WitnessRules.otherwise(told.subList(0, 2), told)).hasSize(1);
        assertThat(WitnessRules.otherwise(told, told.reversed())).hasSize(1);
        assertThat(WitnessRules.otherwise(List.of(), told)).hasSize(2);
    }

    private static Reported status(long attempt, long sequence, String outcome, boolean open) {
        return new Reported("a", attempt, sequence, outcome, open);
    }

    private static HistoryRow moved(String from, String to) {
        return new HistoryRow(
                Instant.EPOCH, 1, "drover", "node", "a", from, to, new Cause("PROGRESS", ""));
    }

    @Test
    @DisplayName("C10: an acknowledged status that is not written down is seen")
    void seesAStatusThatWasLost() {
        Reported done = status(1, 7_000, "SUCCEEDED", false);
        List<HistoryRow> told =
                List.of(
                        moved("pending", "assigned"),
                        moved("assigned", "upgrading"),
                        moved("upgrading", "settling"));
        assertThat(WitnessRules.lost(List.of(done), List.of(done), told)).isEmpty();
        assertThat(
                        WitnessRules.lost(
                                List.of(status(1, 3_000, "IN_PROGRESS", true), done),
                                List.of(done),
                                told))
                .as("a later one stands for it")
                .isEmpty();
        assertThat(WitnessRules.lost(List.of(done), List.of(), told)).hasSize(1);
        assertThat(
                        WitnessRules.lost(
                                List.of(done),
                                List.of(status(1, 6_000, "IN_PROGRESS", true)),
                                told))
                .hasSize(1);
        assertThat(
                        WitnessRules.lost(
                                List.of(done), List.of(status(1, 7_000, "FAILED", false)), told))
                .as("another end")
                .hasSize(1);
    }

    @Test
    @DisplayName("C10: an acknowledged end of which history does not tell is seen")
    void seesAnEndThatIsNotTold() {
        Reported first = status(1, 7_000, "SUCCEEDED", false);
        Reported second = status(2, 7_000, "SUCCEEDED", false);
        List<Reported> both = List.of(first, second, second);
        List<HistoryRow> once = List.of(moved("upgrading", "settling"));
        assertThat(WitnessRules.lost(both, both, once))
                .singleElement()
                .asString()
                .startsWith("C10: a was acknowledged the end of attempts [1, 2]");
        List<HistoryRow> twice = List.of(once.getFirst(), moved("assigned", "settling"));
        assertThat(WitnessRules.lost(both, both, twice)).isEmpty();
    }
}
