package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.model.program.ProgramSpec;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * D3, D10: a restore verifies every file of the backup before it writes the first one. Otherwise a
 * damaged backup leaves a node with an old program and a new configuration.
 */
class RestoreChecksFirstTest {
    private static final Path BACKUP =
            SimulatedNode.STATE.resolve(".upgrade-backup").resolve("rollout-1").resolve("1");

    private static Map<String, Digest> files(SimulatedNode node) {
        Map<String, Digest> files = new TreeMap<>(node.disk.fileDigests());
        files.keySet().removeIf(path -> !Path.of(path).startsWith(SimulatedNode.ROOT));
        return files;
    }

    private static void damage(SimulatedNode node, String file) {
        assertThat(node.disk.fileDigests()).containsKey(BACKUP.resolve(file).toString());
        node.disk.putDurableFile(
                BACKUP.resolve(file), SimulatedNode.bytes("damaged"), FileAttributes.PRIVATE);
    }

    @ParameterizedTest(name = "{0} of the backup is damaged")
    @DisplayName("D3, D10: a restore that finds a damaged file has written no other file")
    @ValueSource(strings = {"file-0", "file-1", "file-2"})
    void writesNothingIfOneFileIsDamaged(String damaged) {
        SimulatedNode node = SimulatedNode.running(Map.of());
        SimulatedNode.Agent agent = node.agent(1).boot();
        agent.processor.process(SimulatedNode.upgrade(1));
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        PreUpgradeState.Recorded before = journal.before().requireRecorded();
        assertThat(before.files()).hasSize(3);
        Map<String, Digest> upgraded = files(node);
        damage(node, damaged);

        assertThatThrownBy(() -> agent.runtime.restoreFiles(BACKUP, before))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        failed ->
                                assertThat(failed.reason()).isEqualTo(ReasonCode.BACKUP_MISMATCH));

        assertThat(files(node)).isEqualTo(upgraded);
    }

    @Test
    @DisplayName("A restore that only deletes a file needs no space and no inode")
    void deletesAFileOnAFullDisk() {
        NodePath added = new NodePath("/etc/added.toml");
        SimulatedNode node = SimulatedNode.running(Map.of());
        SimulatedNode.Agent agent = node.agent(1).boot();
        agent.processor.process(SimulatedNode.delivery(1, addFile(added)));
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        node.disk.limitCapacity(0);

        agent.runtime.restoreFiles(BACKUP, journal.before().requireRecorded());

        assertThat(agent.runtime.digestOf(added)).isEmpty();
    }

    private static Work addFile(NodePath added) {
        ProgramSpec spec = SimulatedNode.spec("old");
        Digest content = Digest.of(SimulatedNode.NEW_CONFIG);
        Map<NodePath, Digest> files =
                Map.of(
                        SimulatedNode.CONFIG,
                        Digest.of(SimulatedNode.OLD_CONFIG),
                        SimulatedNode.PEERS,
                        Digest.of(SimulatedNode.OLD_PEERS),
                        added,
                        content);
        return new Work.Upgrade(
                spec,
                "v2",
                new Artifact(
                        SimulatedNode.OLD_URL,
                        Digest.of(SimulatedNode.OLD),
                        SimulatedNode.OLD.length),
                List.of(new ConfigFile(added, content)),
                Digest.of(SimulatedNode.OLD),
                SimulatedNode.oldConfigDigest().value(),
                ConfigDigest.of(files, spec.launch().digest()));
    }

    @ParameterizedTest(name = "{0} of the backup is damaged")
    @DisplayName("D3, D10: a start fails, and the backup is damaged once the compensation stops it")
    @ValueSource(strings = {"file-0", "file-1", "file-2"})
    void writesNothingIfTheBackupIsDamagedDuringTheCompensation(String damaged) {
        SimulatedNode node =
                SimulatedNode.running(Map.of(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS));
        SimulatedNode.Agent agent = node.agent(1).boot();
        boolean[] done = {false};
        node.disk.setWriteHook(
                () -> {
                    Journal journal = agent.journal(1);
                    if (!done[0] && journal != null && !journal.undos().isEmpty()) {
                        done[0] = true;
                        damage(node, damaged);
                    }
                });

        agent.processor.process(SimulatedNode.upgrade(1));

        assertThat(done[0]).as("the compensation has begun").isTrue();
        Journal journal = Objects.requireNonNull(agent.journal(1));
        assertThat(journal.ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(journal.ending().reason()).isEqualTo(ReasonCode.BACKUP_MISMATCH);
        assertThat(node.disk.digest(SimulatedNode.ROOT.resolve("bin/app")))
                .as("the program file is untouched")
                .isEqualTo(Digest.of(SimulatedNode.NEW));
        assertThat(node.disk.digest(SimulatedNode.ROOT.resolve("etc/app.toml")))
                .isEqualTo(Digest.of(SimulatedNode.NEW_CONFIG));
        assertThat(node.disk.digest(SimulatedNode.ROOT.resolve("etc/peers.toml")))
                .isEqualTo(Digest.of(SimulatedNode.NEW_PEERS));
    }
}
