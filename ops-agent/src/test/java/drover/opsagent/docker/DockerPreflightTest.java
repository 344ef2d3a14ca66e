package drover.opsagent.docker;

import static drover.opsagent.preflight.PreflightReportAssert.assertThatReport;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.UpgradeAction;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.engine.PreflightRequest;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.preflight.PreflightReport;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DockerPreflightTest {
    private final DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
    private final DockerNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName("The registry is asked and nothing is pulled; the container stays the same")
    void findsNothingWrongWithAGoodContainer() {
        Digest before = node.fingerprint();
        PreflightReport report = preflight();
        assertThatReport(report).findsNothingWrong();
        assertThat(node.fingerprint()).isEqualTo(before);
        assertThat(node.engine.findImage(DockerNode.NEW)).as("not pulled").isEmpty();
    }

    @Test
    void findsAnImageThatNoRegistryHas() {
        node.imageAfter = "registry.test/app@" + Digest.of("nobody pushed it").value();
        assertThatReport(preflight())
                .finds(UpgradeAction.ACQUIRE_ARTIFACT, ReasonCode.ARTIFACT_NOT_FOUND);
    }

    @Test
    void findsAnImageForAnotherPlatform() {
        String foreign = "registry.test/app@" + Digest.of("for arm").value();
        node.engine.pushImage(
                foreign, DockerNode.json("{'Cmd': ['/app']}"), ProgramBehavior.RUNS, "linux/arm64");
        node.imageAfter = foreign;
        assertThatReport(preflight())
                .finds(UpgradeAction.ACQUIRE_ARTIFACT, ReasonCode.WRONG_PLATFORM);
    }

    @Test
    @DisplayName("The round trip: a container that cannot be made anew as it is")
    void findsAContainerThatCannotBeMadeAgain() {
        node.engine.remove(stopped(node.app().id()));
        String id =
                node.engine.create(
                        "app",
                        DockerNode.json(
                                """
                                {'Image': '%s', 'HostConfig': {'AutoRemove': true,
                                 'Binds': ['/srv/app:/etc/app:ro']}}
                                """
                                        .formatted(DockerNode.OLD)));
        node.engine.start(id);
        assertThatReport(preflight())
                .finds(
                        UpgradeAction.INSTALL_ARTIFACT,
                        ReasonCode.UNSUPPORTED_FEATURE,
                        "AutoRemove");
    }

    private String stopped(String id) {
        node.engine.kill(id);
        return id;
    }

    @Test
    void findsAContainerThatIsNotThere() {
        node.engine.remove(stopped(node.app().id()));
        assertThatReport(preflight())
                .finds(UpgradeAction.INSTALL_ARTIFACT, ReasonCode.UNKNOWN_PROGRAM);
    }

    @Test
    @DisplayName("Configuration goes to the machine's side of a mount, which must be writable")
    void findsAMountThatItMayNotWriteIn() {
        node.disk.denyNewFiles(Path.of("/srv/app"));
        assertThatReport(preflight()).finds(UpgradeAction.WRITE_CONFIGS, ReasonCode.DISK_ERROR);
    }

    private PreflightReport preflight() {
        return agent.processor.preflight(new PreflightRequest("asked", node.upgrade(0)));
    }
}
