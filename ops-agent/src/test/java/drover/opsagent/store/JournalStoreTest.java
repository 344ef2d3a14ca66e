package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.ActionName;
import drover.model.AttemptOutcome;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileMode;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.script.Assignment;
import drover.opsagent.script.Before;
import drover.opsagent.script.Ending;
import drover.opsagent.script.Journal;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Seen;
import drover.opsagent.script.Work;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JournalStoreTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123456789Z");
    private static final long NOTHING_CLEARED = 0;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final StateDirectory state = state();
    private final JournalStore journals = new JournalStore(state);

    @Test
    @DisplayName("I6: twenty attempts that changed the node stay, however many refusals follow")
    void refusalsDoNotPushTheWayBackOut() {
        LongStream.rangeClosed(1, 22).forEach(attempt -> journals.save(changed(attempt)));
        LongStream.rangeClosed(23, 45).forEach(attempt -> journals.save(refused(attempt)));
        journals.prune(NOTHING_CLEARED);
        assertThat(journals.attempts())
                .containsExactlyElementsOf(
                        LongStream.concat(
                                        LongStream.rangeClosed(3, 22),
                                        LongStream.rangeClosed(26, 45))
                                .boxed()
                                .toList());
    }

    @Test
    @DisplayName("I6: an attempt is forgotten with its backup and its contents, and no other is")
    void forgetsTheBackupWithTheAttempt() {
        LongStream.rangeClosed(1, 21).forEach(attempt -> journals.save(changed(attempt)));
        List<Path> first = List.of(backup(1), contents(1));
        List<Path> second = List.of(backup(2), contents(2));
        first.forEach(this::put);
        second.forEach(this::put);
        journals.prune(NOTHING_CLEARED);
        assertThat(first).noneMatch(state::exists);
        assertThat(second).allMatch(state::exists);
    }

    @Test
    @DisplayName("D14 I6: what could not be undone is never forgotten before it is cleared")
    void keepsWhatIsStuck() {
        journals.save(stuck(1));
        LongStream.rangeClosed(2, 30).forEach(attempt -> journals.save(changed(attempt)));
        journals.prune(NOTHING_CLEARED);
        assertThat(journals.attempts()).contains(1L).hasSize(21);
        assertThat(journals.isStuck(NOTHING_CLEARED)).isTrue();
        assertThat(journals.isStuck(1)).isFalse();
        journals.prune(1);
        assertThat(journals.attempts()).doesNotContain(1L).hasSize(20);
    }

    @Test
    @DisplayName("D14: an attempt taken up again counts as it is now, and so after a restart")
    void noticesThatAnAttemptGotStuckLater() {
        journals.save(changed(1));
        assertThat(journals.isStuck(NOTHING_CLEARED)).isFalse();
        journals.save(stuck(1));
        assertThat(journals.isStuck(NOTHING_CLEARED)).isTrue();
        assertThat(new JournalStore(state()).isStuck(NOTHING_CLEARED)).isTrue();
        journals.save(changed(1));
        assertThat(journals.isStuck(NOTHING_CLEARED)).isFalse();
    }

    @Test
    @DisplayName("C15: what was written is what this agent and the next one read")
    void readsWhatWasWritten() {
        Journal journal = changed(1);
        journals.save(journal);
        assertThat(journals.journal(1)).isEqualTo(journal);
        assertThat(new JournalStore(state()).journal(1)).isEqualTo(journal);
    }

    @Test
    @DisplayName("The disk is what counts, not what this agent remembers having written")
    void readsWhatIsOnTheDisk() {
        journals.save(changed(1));
        put(Path.of("/state/attempts/1.json"));
        assertThatThrownBy(() -> journals.journal(1)).isInstanceOf(StateJson.UnreadableState.class);
    }

    private StateDirectory state() {
        return new StateDirectory(Path.of("/state"), new DurableFiles(disk, new Random(1)));
    }

    private void put(Path file) {
        state.files().createDirectories(Objects.requireNonNull(file.getParent()));
        disk.put(file, "x".getBytes(StandardCharsets.UTF_8), FileMode.PRIVATE);
    }

    private Path backup(long attempt) {
        return state.backups().resolve("rollout").resolve(attempt + "/program");
    }

    private Path contents(long attempt) {
        return state.contents(attempt).resolve("content");
    }

    private static Journal changed(long attempt) {
        return Journal.accepted(assignment(attempt), new Before.NotTaken())
                .begun(ActionName.STOP_NODE, NOW)
                .ended(AttemptOutcome.SUCCEEDED, ReasonCode.NONE, "", Seen.NOTHING);
    }

    private static Journal stuck(long attempt) {
        return Journal.accepted(assignment(attempt), new Before.NotTaken())
                .begun(ActionName.STOP_NODE, NOW)
                .ended(AttemptOutcome.FAILED_ROLLBACK, ReasonCode.DISK_ERROR, "", Seen.NOTHING);
    }

    private static Journal refused(long attempt) {
        return Journal.closed(
                assignment(attempt),
                new Ending(AttemptOutcome.REFUSED, ReasonCode.NONE, "", Seen.NOTHING, ""));
    }

    private static Assignment assignment(long attempt) {
        return new Assignment(
                attempt, "", "rollout", new Work.Nothing(), Duration.ofMinutes(1), "staged");
    }
}
