package drover.standalone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.localenv.DataDirectory;
import drover.manifest.ManifestService;
import drover.manifest.ManifestServiceConfig;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.model.NodePath;
import drover.model.program.Probe;
import drover.standalone.fleet.ManifestAndGatewayClient;
import drover.standalone.fleet.NodeInstallation;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.fleet.PortSavingFleetPlanner;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo's configuration, read by the manifest-service that will read it. */
class DemoConfigFilesTest {
    @TempDir Path folder;

    private DataDirectory data;
    private ManifestService service;
    private ManagedChannel channel;

    @BeforeEach
    void start() {
        data = new DataDirectory(folder.resolve("mesh"));
        DemoConfigFiles.writeUnlessWritten(data.config());
        Address address = new Address.InProcess("demo-config-" + UUID.randomUUID());
        service =
                ManifestService.start(
                        new ManifestServiceConfig(
                                data.config(), address, ManifestServiceConfig.DEFAULT_RESCAN));
        channel = Channels.open(address);
    }

    @AfterEach
    void end() {
        channel.shutdownNow();
        service.close();
    }

    @Test
    void hasTwoGoodManifests() {
        List<ManifestEntry> manifests =
                ManifestServiceGrpc.newBlockingStub(channel)
                        .listManifests(ListManifestsRequest.getDefaultInstance())
                        .getManifestsList();
        assertThat(manifests).allSatisfy(it -> assertThat(it.getProblemsList()).isEmpty());
        assertThat(manifests)
                .extracting(ManifestEntry::getTargetVersion)
                .containsExactly("v2", "v3");
    }

    @Test
    void rendersEachNodeItsOwnPort() {
        ManifestAndGatewayClient services = new ManifestAndGatewayClient(channel, channel);
        PlannedNode node =
                PortSavingFleetPlanner.planAndSavePorts(
                                data,
                                data.config(),
                                OptionalInt.of(2),
                                services.listValidProfiles())
                        .get(1);
        NodeInstallation installation = services.renderInstallation(node, data.node(node.name()));
        NodeInstallation.Program program = installation.programs().getFirst();
        String config = program.files().get(new NodePath("/etc/greeter/greeter.conf"));
        assertThat(config)
                .contains("port = " + node.labels().get("var.port"))
                .contains("greeting = Hello");
        assertThat(program.spec().launch().arguments()).noneMatch(text -> text.contains("{{"));
        assertThat(program.spec().probes().getFirst().check())
                .isEqualTo(
                        new Probe.Check.Http(
                                "http://127.0.0.1:" + node.labels().get("var.port") + "/health",
                                200,
                                "/status",
                                "ok"));
    }
}
