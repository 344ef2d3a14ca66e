package drover.opsagent.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.CommandWithContents;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.engine.SimulatedNode;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An upgrade that brings a file for which there is no directory yet, and its way back. */
class CreatedDirectoriesTest {
    private static final NodePath EXTRA = new NodePath("/etc/app.d/more/extra.toml");
    private static final byte[] CONTENT = SimulatedNode.bytes("e = 1");

    private SimulatedNode node = SimulatedNode.running(Map.of());

    private static SimulatedNode falling() {
        return SimulatedNode.running(Map.of(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS));
    }

    private static CommandWithContents upgrade(long attempt) {
        Map<NodePath, Digest> files = new HashMap<>();
        files.put(SimulatedNode.CONFIG, Digest.of(SimulatedNode.OLD_CONFIG));
        files.put(SimulatedNode.PEERS, Digest.of(SimulatedNode.OLD_PEERS));
        files.put(EXTRA, Digest.of(CONTENT));
        Work work =
                new Work.Upgrade(
                        SimulatedNode.spec("old"),
                        "v2",
                        new Artifact(
                                SimulatedNode.URL,
                                Digest.of(SimulatedNode.NEW),
                                SimulatedNode.NEW.length),
                        List.of(new ConfigFile(EXTRA, Digest.of(CONTENT))),
                        Digest.of(SimulatedNode.OLD),
                        SimulatedNode.oldConfigDigest().value(),
                        ConfigDigest.of(files, SimulatedNode.spec("old").launch().digest()));
        CommandWithContents delivery = SimulatedNode.delivery(attempt, work);
        return new CommandWithContents(
                delivery.command(), delivery.budget(), Map.of(Digest.of(CONTENT), CONTENT));
    }

    private static Path at(String path) {
        return SimulatedNode.ROOT.resolve(path);
    }

    private NodeSnapshot picture() {
        return NodeSnapshot.blank().andFiles(node.disk, SimulatedNode.ROOT, SimulatedNode.STATE);
    }

    private AttemptOutcome outcome(long attempt) {
        return Objects.requireNonNull(node.agent(99).journal(attempt)).ending().outcome();
    }

    @Test
    void makesWhatIsMissing() {
        node.agent(1).boot().processor.process(upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.disk.readAll(at("etc/app.d/more/extra.toml"))).isEqualTo(CONTENT);
    }

    @Test
    @DisplayName("D19: the directories that an attempt made go with it")
    void removesWhatItMade() {
        node = falling();
        NodeSnapshot before = picture();
        node.agent(1).boot().processor.process(upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(before.differencesFrom(picture())).isEmpty();
    }

    @Test
    @DisplayName("D19: and so they go when a rollout is taken back")
    void removesWhatItMadeWhenItIsRestored() {
        NodeSnapshot before = picture();
        SimulatedNode.Agent agent = node.agent(1).boot();
        agent.processor.process(upgrade(1));
        agent.processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(before.differencesFrom(picture())).isEmpty();
    }

    @Test
    void keepsADirectoryWithForeignFiles() {
        node.agent(1).boot().processor.process(upgrade(1));
        node.disk.putDurableFile(at("etc/app.d/theirs"), CONTENT, FileAttributes.CONFIG);
        node.agent(2).boot().processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.disk.list(at("etc/app.d"))).containsExactly(at("etc/app.d/theirs"));
    }

    @Test
    @DisplayName("C15: the backup of an agent that did not count directories is still one")
    void restoresFromABackupWithoutTheCount() {
        node.agent(1).boot().processor.process(upgrade(1));
        Path manifest = SimulatedNode.STATE.resolve(".upgrade-backup/rollout-1/1/manifest.json");
        String text = SimulatedNode.text(node.disk.readAll(manifest));
        assertThat(text).contains(",\"lacking\":2");
        String before = text.replaceAll(",\"lacking\":[0-9]", "");
        node.disk.putDurableFile(manifest, SimulatedNode.bytes(before), FileAttributes.PRIVATE);
        node.agent(2).boot().processor.process(SimulatedNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.disk.list(at("etc/app.d/more"))).isEmpty();
    }

    @Test
    @DisplayName("D15 D19: whichever write fails, no directory is left where all is old")
    void removesWhatItMadeWhicheverWriteFails() {
        int failed = 0;
        int undone = 0;
        for (int failing = 0; failing < 400; failing++) {
            node = falling();
            NodeSnapshot before = picture();
            SimulatedNode.Agent agent = node.agent(1).boot();
            int[] left = {failing};
            node.disk.setWriteHook(
                    () -> {
                        if (left[0]-- == 0) {
                            throw new DiskFailure("no luck", false, new IllegalStateException());
                        }
                    });
            try {
                agent.processor.process(upgrade(1));
            } catch (DiskFailure _) {
                // Before its journal is durable an attempt has not begun: the leader asks again.
                agent.processor.process(upgrade(1));
            }
            if (left[0] >= 0) {
                break;
            }
            failed++;
            if (outcome(1) == AttemptOutcome.FAILED) {
                undone++;
                assertThat(before.differencesFrom(picture())).as("write %d", failing).isEmpty();
            }
        }
        assertThat(failed).isBetween(60, 399);
        assertThat(undone).as("attempts that are all old again").isGreaterThan(failed / 2);
    }
}
