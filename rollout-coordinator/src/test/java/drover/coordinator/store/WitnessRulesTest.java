package drover.coordinator.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Cause;
import drover.coordinator.store.WitnessRules.Answer;
import drover.coordinator.store.WitnessRules.Brought;
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
}
