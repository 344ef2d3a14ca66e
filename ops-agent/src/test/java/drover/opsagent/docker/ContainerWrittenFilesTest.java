package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.engine.ProgramInspector;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Containers that write their configuration in a mounted directory at each start (B15). */
class ContainerWrittenFilesTest {
    private static final Path CONFIG = Path.of("/srv/app/app.toml");
    private static final byte[] REWRITTEN = DockerNode.bytes("a = 2, version = 7");

    @Test
    void aChangeOfAFileThatTheContainerMayWriteIsNoDrift() {
        DockerNode node = writingNode(ProgramBehavior.RUNS);
        node.programWrittenAfter = List.of(DockerNode.CONFIG);
        DockerNode.Agent agent = node.agent(1).boot();

        agent.processor.process(node.upgrade(1));

        assertThat(outcome(agent, 1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.disk.digest(CONFIG)).isEqualTo(Digest.of(REWRITTEN));
        assertThat(reportedConfig(agent))
                .isEqualTo(DockerNode.configDigest(DockerNode.NEW_CONFIG, node.launchAfter));
    }

    @Test
    @DisplayName("managed: always: the upgrade succeeds, and the change is drift")
    void aChangeOfAnotherFileIsDrift() {
        DockerNode node = writingNode(ProgramBehavior.RUNS);
        DockerNode.Agent agent = node.agent(1).boot();

        agent.processor.process(node.upgrade(1));

        assertThat(outcome(agent, 1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(reportedConfig(agent))
                .isEqualTo(DockerNode.configDigest(REWRITTEN, node.launchAfter));
    }

    @Test
    void aRestoreGivesBackWhatTheFileHadBefore() {
        DockerNode node = writingNode(ProgramBehavior.RUNS);
        node.programWrittenAfter = List.of(DockerNode.CONFIG);
        DockerNode.Agent agent = node.agent(1).boot();
        agent.processor.process(node.upgrade(1));
        node.engine.setStartObserver(_ -> {});

        agent.processor.process(DockerNode.restore(2, 1));

        assertThat(outcome(agent, 2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    void aFailedUpgradeGivesBackWhatTheFileHadBefore() {
        DockerNode node = writingNode(ProgramBehavior.FALLS);
        node.programWrittenAfter = List.of(DockerNode.CONFIG);
        DockerNode.Agent agent = node.agent(1).boot();
        node.engine.setStartObserver(
                container -> {
                    if (container.imageName().equals(DockerNode.NEW)) {
                        rewrite(node);
                    }
                });

        agent.processor.process(node.upgrade(1));

        assertThat(outcome(agent, 1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("An adopted container has no recorded digests until the next upgrade")
    void recordsDigestsWithTheFirstUpgradeOfAnAdoptedContainer() {
        DockerNode node = writingNode(ProgramBehavior.RUNS);
        node.programWrittenAfter = List.of(DockerNode.CONFIG);
        DockerNode.Agent agent = node.agent(1).boot();
        assertThat(profile(agent).writtenDigest(DockerNode.CONFIG)).isEmpty();

        agent.processor.process(node.upgrade(1));

        assertThat(profile(agent).writtenDigest(DockerNode.CONFIG))
                .isEqualTo(Digest.of(DockerNode.NEW_CONFIG).value());
    }

    private static DockerNode writingNode(ProgramBehavior ofNew) {
        DockerNode node = DockerNode.running(ofNew);
        node.engine.setStartObserver(_ -> rewrite(node));
        return node;
    }

    private static void rewrite(DockerNode node) {
        node.disk.putDurableFile(CONFIG, REWRITTEN, node.disk.attributes(CONFIG));
    }

    private static AttemptOutcome outcome(DockerNode.Agent agent, long attempt) {
        return agent.journal(attempt).ending().outcome();
    }

    private static ProgramProfile profile(DockerNode.Agent agent) {
        return Objects.requireNonNull(agent.state.loadProfile().findProgram("app"));
    }

    private static Digest reportedConfig(DockerNode.Agent agent) {
        return new ProgramInspector(agent.runtime).readConfigDigest(profile(agent));
    }
}
