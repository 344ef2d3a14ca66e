package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodeId;
import drover.standalone.StandaloneConfig.Pace;
import drover.standalone.home.DataDirectory;
import drover.standalone.home.RunningMesh;
import drover.standalone.home.Unusable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandaloneTest {
    @TempDir Path folder;

    @Test
    void endsInTheOppositeOrderOfItsStart() {
        ScriptedServices services = new ScriptedServices();
        start(services, 0).close();
        assertThat(services.log)
                .containsExactly(
                        "+metrics",
                        "+database",
                        "+manifests",
                        "+health",
                        "+gateway",
                        "install berth-01",
                        "install berth-02",
                        "+coordinator",
                        "+agent berth-01",
                        "+agent berth-02",
                        "-agent berth-02",
                        "-agent berth-01",
                        "-coordinator",
                        "-gateway",
                        "-health",
                        "-manifests",
                        "-database",
                        "-metrics");
    }

    @Test
    void installsANodeOnceOnly() {
        ScriptedServices services = new ScriptedServices();
        start(services, 0).close();
        start(services, 0).close();
        assertThat(services.log).containsOnlyOnce("install berth-01", "install berth-02");
    }

    @Test
    void endsWhatItStartedWhenAPartFails() {
        ScriptedServices services = new ScriptedServices().breaking("coordinator");
        assertThatThrownBy(() -> start(services, 0)).hasMessage("The coordinator is broken.");
        assertThat(services.log)
                .endsWith("-gateway", "-health", "-manifests", "-database", "-metrics");
        start(new ScriptedServices(), 0).close(); // the directory is free again
    }

    @Test
    void refusesASecondMeshOnItsDirectory() {
        try (Standalone first = start(new ScriptedServices(), 0)) {
            assertThat(first.mesh().nodes()).isEqualTo(2);
            assertThatThrownBy(() -> start(new ScriptedServices(), 0))
                    .isInstanceOf(Unusable.class)
                    .hasMessageContaining("Another Drover runs on");
            assertThat(RunningMesh.read(data().mesh())).contains(first.mesh());
        }
        assertThat(RunningMesh.read(data().mesh())).isEmpty();
    }

    @Test
    void refusesATakenPortBeforeItStartsAnything() throws IOException {
        ScriptedServices services = new ScriptedServices();
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> start(services, other.getLocalPort()))
                    .hasMessageContaining("--http-port");
        }
        assertThat(services.log).isEmpty();
        assertThat(data().root()).doesNotExist();
    }

    @Test
    void tellsTheGatewayTheTokensDigestAndNeverTheTokenH1() {
        ScriptedServices services = new ScriptedServices();
        start(services, 0).close();
        NodeId name = new NodeId("berth-01");
        assertThat(services.registered)
                .hasEntrySatisfying(
                        "berth-01",
                        request ->
                                assertThat(request.getTokenSha256())
                                        .isEqualTo(data().node(name).tokenDigest().value()));
        assertThat(services.registered.toString()).doesNotContain(data().node(name).token());
    }

    @Test
    void saysThatAConfigurationDirectoryIsMissing() {
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.of(folder.resolve("nowhere")),
                        OptionalInt.empty(),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        Pace.USUAL);
        assertThatThrownBy(() -> Standalone.start(wanted, new ScriptedServices(), step -> {}))
                .isInstanceOf(Unusable.class)
                .hasMessageContaining("--config");
    }

    private Standalone start(ScriptedServices services, int httpPort) {
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data(),
                        Optional.empty(),
                        OptionalInt.of(2),
                        httpPort,
                        0,
                        0,
                        Optional.empty(),
                        Pace.USUAL);
        return Standalone.start(wanted, services, step -> {});
    }

    private DataDirectory data() {
        return new DataDirectory(folder.resolve("data"));
    }
}
