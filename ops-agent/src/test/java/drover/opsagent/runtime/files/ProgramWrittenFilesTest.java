package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.ConfigDigest;
import drover.model.program.ProgramSpec;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.ProgramInspector;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Programs that write their own configuration when they are started (B15). */
class ProgramWrittenFilesTest {
    private static final Path CONFIG = SimulatedNode.ROOT.resolve("etc/app.toml");
    private static final byte[] REWRITTEN = SimulatedNode.bytes("a = 2, version = 7");

    private final Map<Digest, ProgramBehavior> behaviors = new HashMap<>();
    private final SimulatedNode node = SimulatedNode.running(behaviors);
    private boolean rewrites;
    private final SimulatedNode.Agent agent = node.agent(1).boot();

    private void everyStartRewritesTheConfiguration() {
        rewrites = true;
        node.processes.addStartObserver(
                _ -> {
                    if (rewrites) {
                        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);
                    }
                });
    }

    private AttemptResult ending() {
        return Objects.requireNonNull(agent.slot.currentStatus()).journal().ending();
    }

    private ProgramProfile profile() {
        return Objects.requireNonNull(agent.state.loadProfile().findProgram("app"));
    }

    private Digest reportedConfig() {
        return new ProgramInspector(agent.runtime).readConfigDigest(profile());
    }

    @Test
    void anUpgradeSucceedsAlthoughTheNewVersionRewritesItsConfiguration() {
        everyStartRewritesTheConfiguration();
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(describeChangedFiles()).as("drift, by its file").isEqualTo("/etc/app.toml");
    }

    @Test
    @DisplayName("A compensated attempt is failed, also if the old version rewrites its files")
    void aCompensatedAttemptIsFailed() {
        behaviors.put(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS);
        everyStartRewritesTheConfiguration();
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
    }

    @Test
    void aChangeOfAFileThatTheProgramMayWriteIsNoDrift() {
        everyStartRewritesTheConfiguration();
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.disk.digest(CONFIG)).isEqualTo(Digest.of(REWRITTEN));
        assertThat(reportedConfig().value()).isEqualTo(ending().seen().configDigest());
    }

    @Test
    void aFileThatTheProgramMayWriteIsMissedIfItIsDeleted() {
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));
        Digest before = reportedConfig();
        node.disk.delete(CONFIG);
        assertThat(reportedConfig()).isNotEqualTo(before);
    }

    @Test
    void aRestoreGivesBackWhatTheFileHadBefore() {
        everyStartRewritesTheConfiguration();
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));
        rewrites = false;
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.disk.digest(CONFIG)).isEqualTo(Digest.of(SimulatedNode.OLD_CONFIG));
    }

    @Test
    @DisplayName("merge: a file is written only if a manifest gives it another content")
    void aFileIsWrittenOnlyIfItsContentIsNew() {
        everyStartRewritesTheConfiguration();
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));
        assertThat(filesToWrite(SimulatedNode.NEW_CONFIG)).isEmpty();
        assertThat(filesToWrite(SimulatedNode.bytes("a = 3"))).hasSize(1);
    }

    @Test
    @DisplayName("A node of an earlier agent has no recorded digests: a change is drift")
    void aChangeIsDriftOnANodeWithoutRecordedDigests() {
        allowToWriteConfigWithoutRecordedDigest();
        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);

        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));

        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(ending().reason()).isEqualTo(ReasonCode.DRIFTED);
        assertThat(profile().written()).isEmpty();
    }

    @Test
    @DisplayName("A node of an earlier agent has recorded digests from the next upgrade on")
    void anUpgradeRecordsDigestsOnANodeWithoutThem() {
        allowToWriteConfigWithoutRecordedDigest();
        everyStartRewritesTheConfiguration();

        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));

        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(profile().writtenDigest(SimulatedNode.CONFIG))
                .isEqualTo(Digest.of(SimulatedNode.NEW_CONFIG).value());
        assertThat(reportedConfig().value()).isEqualTo(ending().seen().configDigest());
    }

    @Test
    @DisplayName("A node of an earlier agent goes back to a profile without recorded digests")
    void aRestoreGivesBackTheProfileOfAnEarlierAgent() {
        allowToWriteConfigWithoutRecordedDigest();
        ProgramProfile earlier = profile();
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));

        agent.processor.process(SimulatedNode.restore(2, 1));

        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(profile()).isEqualTo(earlier);
    }

    /** As an earlier agent left the profile of a program that may write its configuration. */
    private void allowToWriteConfigWithoutRecordedDigest() {
        ProgramSpec plain = SimulatedNode.spec("old");
        ProgramSpec writing =
                new ProgramSpec(
                        plain.name(),
                        plain.runtime(),
                        plain.launch(),
                        plain.probes(),
                        List.of(SimulatedNode.CONFIG));
        agent.state.saveRecord(
                agent.state
                        .loadProfile()
                        .with(new ProgramProfile(writing, profile().managedFiles())));
    }

    @Test
    @DisplayName("merge to always without the content: refused while the program runs")
    void aFileThatDroverTakesBackNeedsItsContent() {
        everyStartRewritesTheConfiguration();
        agent.processor.process(SimulatedNode.upgrade(1, List.of(SimulatedNode.CONFIG)));
        agent.processor.process(
                laterUpgrade(List.of(), List.of(), Digest.of(SimulatedNode.NEW_CONFIG)));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(ending().reason()).isEqualTo(ReasonCode.DRIFTED);
        assertThat(ending().detail()).contains("/etc/app.toml");
        assertThat(node.processes.allProcesses().values())
                .containsExactly(Digest.of(SimulatedNode.NEW));
    }

    @Test
    @DisplayName("always to merge without the content: accepted drift is what counts from then on")
    void anAcceptedDriftCountsOnceTheProgramMayWriteTheFile() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);
        agent.processor.process(
                laterUpgrade(List.of(SimulatedNode.CONFIG), List.of(), Digest.of(REWRITTEN)));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.disk.digest(CONFIG)).isEqualTo(Digest.of(REWRITTEN));
        assertThat(reportedConfig().value()).isEqualTo(ending().seen().configDigest());
    }

    @Test
    @DisplayName("always to merge with the content: accepted drift is overwritten")
    void anAcceptedDriftIsOverwrittenByTheContentOfTheUpgrade() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);
        Digest config = Digest.of(SimulatedNode.NEW_CONFIG);
        agent.processor.process(
                laterUpgrade(
                        List.of(SimulatedNode.CONFIG),
                        List.of(new ConfigFile(SimulatedNode.CONFIG, config)),
                        config));
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.disk.digest(CONFIG)).isEqualTo(config);
    }

    @Test
    @DisplayName("always: accepted drift counts as written; later drift names only what changed")
    void laterDriftNamesOnlyWhatChangedSinceDriftWasAccepted() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);
        assertThat(describeChangedFiles()).isEqualTo("/etc/app.toml");

        agent.processor.process(laterUpgrade(List.of(), List.of(), Digest.of(REWRITTEN)));

        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("etc/peers.toml"), REWRITTEN, FileAttributes.CONFIG);
        assertThat(describeChangedFiles()).isEqualTo("/etc/peers.toml");
    }

    @Test
    @DisplayName("always: a restore brings back the record, in which accepted drift is drift")
    void aRestoreBringsBackTheRecordFromBeforeDriftWasAccepted() {
        agent.processor.process(SimulatedNode.upgrade(1));
        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);
        Digest drifted = reportedConfig();
        agent.processor.process(laterUpgrade(List.of(), List.of(), Digest.of(REWRITTEN)));

        agent.processor.process(
                SimulatedNode.delivery(
                        3, new Work.Restore("app", 2, Digest.of(SimulatedNode.NEW), drifted)));

        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.disk.digest(CONFIG)).isEqualTo(Digest.of(REWRITTEN));
        assertThat(describeChangedFiles()).isEqualTo("/etc/app.toml");
    }

    private String describeChangedFiles() {
        return new ProgramInspector(agent.runtime).describeChangedFiles(profile());
    }

    /** From the new version to another that may write these files. */
    private static CommandWithContents laterUpgrade(
            List<NodePath> programWritten, List<ConfigFile> files, Digest config) {
        ProgramSpec plain = SimulatedNode.spec("new");
        return SimulatedNode.delivery(
                2,
                new Work.Upgrade(
                        new ProgramSpec(
                                plain.name(),
                                plain.runtime(),
                                plain.launch(),
                                plain.probes(),
                                programWritten),
                        "v3",
                        new Artifact(
                                SimulatedNode.OLD_URL,
                                Digest.of(SimulatedNode.OLD),
                                SimulatedNode.OLD.length),
                        files,
                        Digest.of(SimulatedNode.NEW),
                        "",
                        ConfigDigest.of(
                                Map.of(
                                        SimulatedNode.CONFIG,
                                        config,
                                        SimulatedNode.PEERS,
                                        Digest.of(SimulatedNode.NEW_PEERS)),
                                plain.launch().digest())));
    }

    @Test
    @DisplayName("A file that something else changes before the start fails the attempt, by name")
    void aFileThatIsChangedBeforeTheStartFailsTheAttempt() {
        boolean[] changed = {false};
        node.disk.setWriteHook(
                () -> {
                    Journal journal = agent.journal(1);
                    if (!changed[0]
                            && journal != null
                            && journal.findEntry(UpgradeAction.RELOAD_DAEMON) != null) {
                        changed[0] = true;
                        node.disk.putDurableFile(CONFIG, REWRITTEN, FileAttributes.CONFIG);
                    }
                });
        agent.processor.process(SimulatedNode.upgrade(1));
        assertThat(changed[0]).isTrue();
        assertThat(ending().outcome()).isEqualTo(AttemptOutcome.FAILED);
        assertThat(ending().reason()).isEqualTo(ReasonCode.PROOF_FAILED);
        assertThat(ending().detail()).contains("/etc/app.toml is not what was written");
        assertThat(node.processes.allProcesses().values())
                .containsExactly(Digest.of(SimulatedNode.OLD));
    }

    private List<ConfigFile> filesToWrite(byte[] content) {
        ProgramProfile present = profile();
        Work.Upgrade later =
                new Work.Upgrade(
                        present.spec(),
                        "v3",
                        new Artifact(SimulatedNode.URL, Digest.of("v3"), 0),
                        List.of(new ConfigFile(SimulatedNode.CONFIG, Digest.of(content))),
                        Digest.of(SimulatedNode.NEW),
                        "",
                        Digest.of("not compared here"));
        return new ProgramInspector(agent.runtime).findFilesToWrite(later, present);
    }
}
