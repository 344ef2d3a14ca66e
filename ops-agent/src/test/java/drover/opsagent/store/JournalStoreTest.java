package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptRetentionFacts;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class JournalStoreTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123456789Z");
    private static final long NOTHING_CLEARED = 0;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final StateDirectory state = state();
    private final JournalStore journals = new JournalStore(state);

    @Test
    @DisplayName("I6: an attempt is forgotten with its contents, and no other is")
    void forgetsTheContentsWithTheAttempt() {
        journals.save(changed(1));
        journals.save(changed(2));
        put(contents(1));
        put(contents(2));
        journals.delete(1);
        assertThat(journals.listAttempts()).containsExactly(2L);
        assertThat(state.exists(contents(1))).isFalse();
        assertThat(state.exists(contents(2))).isTrue();
        assertThat(journals.loadSummaries())
                .extracting(AttemptRetentionFacts::attempt)
                .containsExactly(2L);
    }

    @Test
    @DisplayName("D14: an attempt taken up again counts as it is now, and so after a restart")
    void noticesThatAnAttemptGotStuckLater() {
        journals.save(changed(1));
        assertThat(journals.hasUnclearedFailedRollback(NOTHING_CLEARED)).isFalse();
        journals.save(stuck(1));
        assertThat(journals.hasUnclearedFailedRollback(NOTHING_CLEARED)).isTrue();
        assertThat(new JournalStore(state()).hasUnclearedFailedRollback(NOTHING_CLEARED)).isTrue();
        journals.save(changed(1));
        assertThat(journals.hasUnclearedFailedRollback(NOTHING_CLEARED)).isFalse();
    }

    @Test
    @DisplayName("C15: what was written is what this agent and the next one read")
    void readsWhatWasWritten() {
        Journal journal = changed(1);
        journals.save(journal);
        assertThat(journals.loadJournal(1)).isEqualTo(journal);
        assertThat(new JournalStore(state()).loadJournal(1)).isEqualTo(journal);
    }

    @Test
    @DisplayName("The disk is what counts, not what this agent remembers having written")
    void readsWhatIsOnTheDisk() {
        journals.save(changed(1));
        put(Path.of("/state/attempts/1.json"));
        assertThatThrownBy(() -> journals.loadJournal(1))
                .isInstanceOf(StateJson.UnreadableState.class);
    }

    private StateDirectory state() {
        return new StateDirectory(Path.of("/state"), new DurableFiles(disk, new Random(1)));
    }

    private void put(Path file) {
        state.files().createDirectories(Objects.requireNonNull(file.getParent()));
        disk.putDurableFile(file, "x".getBytes(StandardCharsets.UTF_8), FileAttributes.PRIVATE);
    }

    private Path contents(long attempt) {
        return state.contents(attempt).resolve("content");
    }

    private static Journal changed(long attempt) {
        return Journal.accepted(assignment(attempt), new PreUpgradeState.NotNeeded())
                .withActionStarted(UpgradeAction.STOP_NODE, NOW)
                .withResult(AttemptOutcome.SUCCEEDED, ReasonCode.NONE, "", ObservedProgram.NOTHING);
    }

    private static Journal stuck(long attempt) {
        return Journal.accepted(assignment(attempt), new PreUpgradeState.NotNeeded())
                .withActionStarted(UpgradeAction.STOP_NODE, NOW)
                .withResult(
                        AttemptOutcome.FAILED_ROLLBACK,
                        ReasonCode.DISK_ERROR,
                        "",
                        ObservedProgram.NOTHING);
    }

    private static Assignment assignment(long attempt) {
        return new Assignment(
                attempt, "", "rollout", new Work.UnreadWork(), Duration.ofMinutes(1), "staged");
    }
}
