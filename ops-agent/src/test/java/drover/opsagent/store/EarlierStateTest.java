package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ActionOutcome;
import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.AttemptRetentionFacts;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.UndoStepProgress;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.process.RunRecord;
import drover.opsagent.trust.TrustRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every record that an agent of an earlier version stored is read as it was meant (C15). */
class EarlierStateTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Path copy;
    private StateDirectory state;
    private JournalStore journals;

    @BeforeEach
    void copyState(@TempDir Path directory) throws IOException {
        copy = directory;
        EarlierState.copy("loft-1", directory);
        EarlierState.copy("mill-3", directory.resolve("enrolled"));
        state = EarlierState.open(directory.resolve("state"));
        journals = new JournalStore(state);
    }

    @ParameterizedTest
    @CsvSource({
        "state/agent.json, drover.opsagent.store.AgentRecord",
        "state/profile.json, drover.opsagent.store.NodeProfile",
        "state/attempts/1.json, drover.opsagent.journal.Journal",
        "state/attempts/2.json, drover.opsagent.journal.Journal",
        "state/attempts/3.json, drover.opsagent.journal.Journal",
        "state/run/loft/run.json, drover.opsagent.runtime.process.RunRecord",
        "state/trust.json, drover.opsagent.trust.TrustRecord",
        "state/.upgrade-backup/19aeddec-5cc4-729d-b00e-c65239032da6/3/manifest.json,"
                + " drover.opsagent.runtime.files.BackupManifest",
        "enrolled/agent.json, drover.opsagent.store.AgentRecord",
        "enrolled/identity.json, drover.opsagent.identity.NodeKeyAndCertificate"
    })
    @DisplayName("C15: no value of an earlier record is lost when it is read and written again")
    void keepsEveryValue(String file, Class<?> type) throws IOException {
        byte[] stored = Files.readAllBytes(copy.resolve(file));

        byte[] written = state.json().write(state.json().read(stored, type, file));

        List<String> missing = values(JSON.readTree(stored));
        values(JSON.readTree(written)).forEach(missing::remove);
        assertThat(missing).isEmpty();
    }

    /** What a record contains, without the names; an earlier agent also wrote a derived "over". */
    private static List<String> values(JsonNode node) {
        if (node.isContainer()) {
            List<String> inside = new ArrayList<>();
            node.properties().stream()
                    .filter(property -> !property.getKey().equals("over"))
                    .forEach(property -> inside.addAll(values(property.getValue())));
            if (node.isArray()) {
                node.forEach(element -> inside.addAll(values(element)));
            }
            return inside;
        }
        return new ArrayList<>(node.isNull() ? List.of() : List.of(node.asString()));
    }

    @Test
    void readsTheRecordsOfTheNode() {
        assertThat(state.loadAgentRecord()).isEqualTo(new AgentRecord(1, "loft-1", 3, 2, 0));
        assertThat(state.loadProfile().versions())
                .extracting(KnownVersion::version)
                .containsExactly("v1", "v2", "v3", "v4");
        ProgramProfile loft = state.loadProfile().programs().getFirst();
        assertThat(loft.managedFiles()).hasToString("[/opt/loft/loft.conf]");
        assertThat(loft.spec().launch().identity()).isEqualTo(ProgramDigestSource.FILE);
        assertThat(loft.spec().programWritten()).isEmpty();
        assertThat(loft.written()).as("recorded by later agents only").isEmpty();
        RunRecord run = state.load(state.runDirectory("loft").resolve("run.json"), RunRecord.class);
        assertThat(run.desired()).isTrue();
        assertThat(run.first().number()).isEqualTo(31656);
        assertThat(run.digest()).isEqualTo(upgrade(3).artifact().digest());
        assertThat(state.load(state.path().resolve("trust.json"), TrustRecord.class))
                .asString()
                .contains("releaseNumber=14, version=v4, minimumReleaseNumber=13");
    }

    @Test
    void readsTheHistoryOfAttempts() {
        assertThat(journals.loadSummaries())
                .containsExactlyInAnyOrder(
                        new AttemptRetentionFacts(
                                1, "loft", AttemptOutcome.SUCCEEDED, true, true, 0),
                        new AttemptRetentionFacts(2, "loft", AttemptOutcome.FAILED, true, false, 0),
                        new AttemptRetentionFacts(
                                3, "loft", AttemptOutcome.IN_PROGRESS, true, false, 0));
        Journal failed = journal(2);
        assertThat(failed.direction()).isEqualTo(AttemptDirection.BACKWARD);
        assertThat(failed.ending().reason()).isEqualTo(ReasonCode.START_FAILED);
        assertThat(failed.undos())
                .extracting(UndoStepProgress::step)
                .containsExactly(UndoStep.STOP, UndoStep.FILES, UndoStep.RELOAD, UndoStep.START);
        assertThat(failed.undos()).allMatch(UndoStepProgress::hasFinished);
    }

    @Test
    void readsTheOpenAttempt() {
        Journal open = journal(3);
        assertThat(journals.loadOpenJournal()).isEqualTo(open);
        assertThat(open.hasEnded()).isFalse();
        assertThat(open.direction()).isEqualTo(AttemptDirection.FORWARD);
        assertThat(open.actions().getLast().action()).isEqualTo(UpgradeAction.START_NODE);
        assertThat(open.actions().getLast().outcome()).isEqualTo(ActionOutcome.RUNNING);
        assertThat(open.transitions()).isEqualTo(8);
        PreUpgradeState.Recorded before = open.before().requireRecorded();
        assertThat(before.digest()).isEqualTo(upgrade(1).artifact().digest().value());
        assertThat(before.wanted()).isTrue();
        assertThat(before.alive()).isTrue();
        assertThat(before.files()).hasSize(2).allMatch(PreUpgradeState.FileState::existed);
        assertThat(upgrade(3).targetVersion()).isEqualTo("v4");
        assertThat(upgrade(3).files()).hasSize(1);
    }

    @Test
    void readsTheIdentityOfAnEnrolledNode() {
        NodeKeyAndCertificate identity =
                new IdentityFile(EarlierState.open(copy.resolve("enrolled"))).read().orElseThrow();
        assertThat(identity.node()).isEqualTo("mill-3");
        assertThat(identity.generation()).isEqualTo(1);
        assertThat(List.of(identity.key(), identity.chain(), identity.trust()))
                .allMatch(pem -> pem.startsWith("-----BEGIN "));
    }

    private Journal journal(long attempt) {
        return Objects.requireNonNull(journals.loadJournal(attempt));
    }

    private Work.Upgrade upgrade(long attempt) {
        return (Work.Upgrade) journal(attempt).assignment().work();
    }
}
