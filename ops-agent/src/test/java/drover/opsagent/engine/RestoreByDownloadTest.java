package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A way back without a backup: what ran before is installed anew from where it came from. */
class RestoreByDownloadTest {
    private static final Path BACKUP = SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1");

    private final Map<Digest, ProgramBehavior> behaviours = new HashMap<>();
    private final SimulatedNode node = SimulatedNode.running(behaviours);
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    private Journal journal(long attempt) {
        return Objects.requireNonNull(new JournalStore(agent.state).loadJournal(attempt));
    }

    private AttemptOutcome outcome(long attempt) {
        return journal(attempt).ending().outcome();
    }

    private ReasonCode reason(long attempt) {
        return journal(attempt).ending().reason();
    }

    private void loseTheBackup() {
        node.disk.delete(BACKUP.resolve("manifest.json"));
    }

    private boolean isOld() {
        return node.isAll(
                SimulatedNode.OLD, SimulatedNode.OLD_CONFIG, SimulatedNode.OLD_PEERS, "old");
    }

    @Test
    void installsThePreviousArtifactWithoutABackup() {
        agent.processor.process(SimulatedNode.programOnly(1));
        loseTheBackup();

        agent.processor.process(SimulatedNode.restoreByAddress(2, 1));

        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(isOld()).isTrue();
    }

    @Test
    void aBackupIsPreferred() {
        agent.processor.process(SimulatedNode.programOnly(1));

        agent.processor.process(SimulatedNode.restoreByAddress(2, 1));

        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(journal(2).undos()).isNotEmpty();
        assertThat(isOld()).isTrue();
    }

    @Test
    @DisplayName("D3: old bytes are never put under new configuration")
    void refusesWhenConfigurationChanged() {
        agent.processor.process(SimulatedNode.upgrade(1));
        loseTheBackup();

        agent.processor.process(SimulatedNode.restoreByAddress(2, 1));

        assertThat(reason(2)).isEqualTo(ReasonCode.NO_BACKUP);
        assertThat(
                        node.isAll(
                                SimulatedNode.NEW,
                                SimulatedNode.NEW_CONFIG,
                                SimulatedNode.NEW_PEERS,
                                "new"))
                .isTrue();
    }

    @Test
    @DisplayName("D7: an old program that does not start any more leaves the node as it was")
    void goesBackToWhatRunsWhenTheOldProgramFalls() {
        agent.processor.process(SimulatedNode.programOnly(1));
        loseTheBackup();
        behaviours.put(Digest.of(SimulatedNode.OLD), ProgramBehavior.FALLS);

        agent.processor.process(SimulatedNode.restoreByAddress(2, 1));

        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(
                        node.isAll(
                                SimulatedNode.NEW,
                                SimulatedNode.OLD_CONFIG,
                                SimulatedNode.OLD_PEERS,
                                "old"))
                .isTrue();
    }

    @Test
    @DisplayName("C15: a journal written before this work had a way back is read")
    void readsTheJournalOfAnEarlierAgent() {
        agent.processor.process(SimulatedNode.programOnly(1));
        Path file = SimulatedNode.STATE.resolve("attempts/1.json");
        String text = SimulatedNode.text(node.disk.readAll(file));
        String earlier =
                text.replaceAll("\\s*\"undoes\"\\s*:\\s*0,", "")
                        .replaceAll(",\\s*\"undoes\"\\s*:\\s*0", "");
        assertThat(earlier).isNotEqualTo(text);

        Journal read =
                new StateJson()
                        .read(earlier.getBytes(StandardCharsets.UTF_8), Journal.class, "journal");

        assertThat(read).isEqualTo(journal(1));
    }
}
