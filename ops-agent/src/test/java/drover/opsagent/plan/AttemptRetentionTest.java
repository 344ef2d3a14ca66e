package drover.opsagent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.journal.AttemptRetentionFacts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A word is an attempt, numbered from 1: {@code ok} succeeded, {@code fail} went back by itself,
 * {@code unchanged} failed before it changed anything, {@code stuck} did not get back, {@code
 * refused} did nothing, {@code back-N} took N back, {@code open} is under way. A prefix {@code b:}
 * is for another program than {@code app}.
 */
class AttemptRetentionTest {
    private static final long NOTHING_CLEARED = 0;

    @ParameterizedTest(name = "{0} keeps the backups of {1}")
    @DisplayName("D8 A13: a backup stays for as long as a restore can name it")
    @CsvSource({
        "'',                                    ''",
        "ok,                                    1",
        "ok ok,                                 1 2",
        "ok ok ok,                              1 2 3",
        "ok ok back-2,                          1 2 3",
        "ok ok back-2 ok,                       1 4",
        "ok ok ok back-3 back-2,                1 2 3 4 5",
        "ok ok ok back-3 back-2 ok,             1 6",
        "ok ok ok back-3 back-2 back-1,         1 2 3 4 5 6",
        "ok ok back-1 ok,                       4",
        "ok back-1 ok back-3 ok,                5",
        "fail,                                  1",
        "fail fail,                             1 2",
        "ok fail fail,                          1 2 3",
        "ok fail fail ok,                       1 4",
        "ok refused refused,                    1 2 3",
        "unchanged,                             ''",
        "ok unchanged unchanged,                1",
        "fail unchanged stuck,                  1 3",
        "ok b:ok,                               1 2",
        "fail b:ok,                             1 2",
        "ok back-1 b:ok,                        1 2 3",
        "ok b:ok b:back-2 b:ok,                 1 4",
        "ok fail stuck,                         1 2 3",
        "fail ok stuck b:ok,                    1 2 3 4",
        "fail ok open,                          1 2 3",
        "ok ok stuckback-2,                     1 2 3",
    })
    void keepsEveryBackupThatCanBeRestored(String story, String kept) {
        List<AttemptRetentionFacts> past = story(story);
        assertThat(AttemptRetention.retainedBackups(past, all(past), NOTHING_CLEARED))
                .containsExactlyInAnyOrderElementsOf(numbers(kept));
    }

    @Test
    @DisplayName("D14: what waited to be cleared goes on as any other once it is")
    void goesOnOnceItIsCleared() {
        List<AttemptRetentionFacts> past = story("fail stuck ok");
        assertThat(AttemptRetention.retainedBackups(past, all(past), NOTHING_CLEARED))
                .containsExactly(1L, 2L, 3L);
        // The leader may name the second: nobody has proved that what it changed is gone.
        assertThat(AttemptRetention.retainedBackups(past, all(past), 2)).containsExactly(2L, 3L);
    }

    @Test
    @DisplayName("D8: nothing goes for a success whose own backup is not there")
    void aSuccessWithoutABackupSpendsNothing() {
        List<AttemptRetentionFacts> past = story("fail ok");
        assertThat(AttemptRetention.retainedBackups(past, Set.of(1L), NOTHING_CLEARED))
                .containsExactly(1L, 2L);
    }

    @Test
    @DisplayName("D8: a whole backup whose journal somebody lost is for a person to judge")
    void leavesAloneWhatHasNoJournal() {
        assertThat(
                        AttemptRetention.retainedBackups(
                                story("fail ok"), Set.of(1L, 2L, 9L), NOTHING_CLEARED))
                .containsExactly(2L, 9L);
    }

    @Test
    @DisplayName("I6: neither refusals nor failures nor another program push a way back out")
    void keepsTheRestoreSourceThroughLaterStates() {
        String later = " refused".repeat(60) + " fail".repeat(60) + " b:ok".repeat(60);
        List<AttemptRetentionFacts> past = story("ok" + later);
        assertThat(AttemptRetention.retainedJournals(past, NOTHING_CLEARED))
                .contains(1L)
                .hasSize(1 + 20 + 20 + 20);
        assertThat(AttemptRetention.retainedBackups(past, all(past), NOTHING_CLEARED)).contains(1L);
    }

    @Test
    @DisplayName("I6: a program has at most twenty ways back, the latest")
    void boundsWhatItKeeps() {
        List<AttemptRetentionFacts> past = story("ok ".repeat(50));
        assertThat(AttemptRetention.retainedBackups(past, all(past), NOTHING_CLEARED))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(31, 50).boxed().toList());
        assertThat(AttemptRetention.retainedJournals(past, NOTHING_CLEARED)).hasSize(40);
    }

    @Test
    @DisplayName("A13: all twenty can be taken back, though each taking back is an attempt too")
    void theLastWayBackOutlivesTheTakingBackOfAllOthers() {
        StringBuilder story = new StringBuilder("ok ".repeat(20));
        for (int attempt = 20; attempt > 1; attempt--) {
            story.append("back-").append(attempt).append(' ');
            List<AttemptRetentionFacts> past = story(story.toString());
            assertThat(AttemptRetention.retainedJournals(past, NOTHING_CLEARED))
                    .contains(attempt - 1L);
            assertThat(AttemptRetention.retainedBackups(past, all(past), NOTHING_CLEARED))
                    .contains(attempt - 1L);
        }
    }

    @Test
    @DisplayName("A13: a change that was taken back is forgotten before what took it back")
    void aTakingBackOutlivesWhatItTookBack() {
        List<AttemptRetentionFacts> past = story("ok back-1 " + "fail ".repeat(19));
        assertThat(AttemptRetention.retainedJournals(past, NOTHING_CLEARED))
                .contains(2L)
                .doesNotContain(1L);
    }

    @Test
    @DisplayName("D8: of any past, whatever the leader's rule lets be taken back is kept")
    void keepsWhatCanBeRequested() {
        for (int seed = 0; seed < 5_000; seed++) {
            Random random = new Random(seed);
            List<AttemptRetentionFacts> past = new ArrayList<>();
            for (int attempt = 1; attempt <= 1 + random.nextInt(15); attempt++) {
                past.add(any(random, attempt));
                assertThat(AttemptRetention.retainedBackups(past, all(past), NOTHING_CLEARED))
                        .as("seed %d, %s", seed, past)
                        .containsAll(retained(past));
            }
        }
    }

    /** As the leader sees it: it succeeded, and nothing from it on was taken back since. */
    private static List<Long> retained(List<AttemptRetentionFacts> past) {
        return past.stream()
                .filter(one -> one.outcome() == AttemptOutcome.SUCCEEDED)
                .filter(
                        one ->
                                past.stream()
                                        .filter(later -> later.attempt() > one.attempt())
                                        .filter(later -> later.program().equals(one.program()))
                                        .allMatch(
                                                later ->
                                                        later.restoredThrough() == 0
                                                                || later.restoredThrough()
                                                                        > one.attempt()))
                .map(AttemptRetentionFacts::attempt)
                .toList();
    }

    private static AttemptRetentionFacts any(Random random, int attempt) {
        String program = random.nextInt(4) == 0 ? "b:" : "";
        return switch (random.nextInt(5)) {
            case 0 -> one(program + "fail", attempt);
            case 1 -> one(program + "refused", attempt);
            case 2 -> one(program + "back-" + (1 + random.nextInt(attempt)), attempt);
            default -> one(program + "ok", attempt);
        };
    }

    private static List<AttemptRetentionFacts> story(String story) {
        List<AttemptRetentionFacts> past = new ArrayList<>();
        for (String word : words(story)) {
            past.add(one(word, past.size() + 1));
        }
        return past;
    }

    private static AttemptRetentionFacts one(String word, long attempt) {
        String program = word.startsWith("b:") ? "b" : "app";
        String what = word.startsWith("b:") ? word.substring(2) : word;
        String kind = what.contains("-") ? what.substring(0, what.indexOf('-')) : what;
        long of = what.contains("-") ? Long.parseLong(what.substring(what.indexOf('-') + 1)) : 0;
        return switch (kind) {
            case "ok" -> past(attempt, program, AttemptOutcome.SUCCEEDED, true, true, 0);
            case "fail" -> past(attempt, program, AttemptOutcome.FAILED, true, false, 0);
            case "unchanged" -> past(attempt, program, AttemptOutcome.FAILED, false, false, 0);
            case "stuck" -> past(attempt, program, AttemptOutcome.FAILED_ROLLBACK, true, true, 0);
            case "stuckback" ->
                    past(attempt, program, AttemptOutcome.FAILED_ROLLBACK, true, false, 0);
            case "refused" -> past(attempt, program, AttemptOutcome.REFUSED, false, false, 0);
            case "open" -> past(attempt, program, AttemptOutcome.IN_PROGRESS, true, false, 0);
            case "back" -> past(attempt, program, AttemptOutcome.RESTORED, true, false, of);
            default -> throw new IllegalArgumentException(word);
        };
    }

    private static AttemptRetentionFacts past(
            long attempt,
            String program,
            AttemptOutcome outcome,
            boolean mutated,
            boolean open,
            long backTo) {
        return new AttemptRetentionFacts(attempt, program, outcome, mutated, open, backTo);
    }

    private static Set<Long> all(List<AttemptRetentionFacts> past) {
        Set<Long> all = new HashSet<>();
        past.forEach(one -> all.add(one.attempt()));
        return all;
    }

    private static List<Long> numbers(String kept) {
        return words(kept).stream().map(Long::valueOf).toList();
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }
}
