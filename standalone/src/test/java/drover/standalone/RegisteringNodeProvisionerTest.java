package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.Version;
import drover.model.program.BinaryName;
import drover.standalone.RegisteringNodeProvisioner.Outcome;
import drover.standalone.RegisteringNodeProvisioner.ProvisioningOutcomes;
import drover.standalone.ServiceFactory.GatewaySettings;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneConfig.CertificateNodePorts;
import drover.standalone.fleet.ManifestAndGatewayClient;
import drover.standalone.fleet.PlannedNode;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** What preparing tells of nodes that it cannot make ready. */
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
class RegisteringNodeProvisionerTest {
    @TempDir Path folder;

    private final ScriptedServiceFactory services = new ScriptedServiceFactory();
    private DataDirectory data;
    private ServiceFactory.RunningGateway gateway;
    private ManagedChannel channel;

    @BeforeEach
    void open() {
        data = new DataDirectory(folder.resolve("data"));
        Address address = new Address.InProcess(UUID.randomUUID().toString());
        gateway =
                services.startGateway(
                        new GatewaySettings(
                                new Address.Tcp("127.0.0.1", 0),
                                address,
                                CertificateNodePorts.FREE,
                                data),
                        new PGSimpleDataSource(),
                        AgentTimings.USUAL);
        channel = Channels.open(address);
    }

    @AfterEach
    void close() {
        channel.shutdownNow();
        gateway.close();
    }

    private ProvisioningOutcomes prepare(String... names) {
        return new RegisteringNodeProvisioner(
                        data, new ManifestAndGatewayClient(channel, channel), services)
                .provision(Stream.of(names).map(RegisteringNodeProvisionerTest::planned).toList());
    }

    private static PlannedNode planned(String name) {
        return new PlannedNode(
                new NodeId(name),
                new ChainProfileId("harbour"),
                new NodeType("edge"),
                Map.of(),
                List.of(),
                false);
    }

    private static void broken() {
        throw new UserFacingError("Its disk is broken.");
    }

    @Test
    @DisplayName("D-164: what is left of nodes is told of also when a part of the mesh goes away")
    void nothingIsForgottenWhenAPartOfTheDeploymentDisconnects() {
        services.atInstall("berth-01", RegisteringNodeProvisionerTest::broken)
                .atInstall("berth-02", () -> channel.shutdownNow());

        ProvisioningOutcomes prepared = prepare("berth-01", "berth-02", "berth-03", "berth-04");

        assertThat(prepared.outcomes())
                .containsExactly(
                        new Outcome.Failed(new NodeId("berth-01"), "Its disk is broken."),
                        new Outcome.Ready(new NodeId("berth-02"), List.of()));
        assertThatThrownBy(prepared::requireAllReady)
                .isInstanceOf(UserFacingError.class)
                .hasCauseInstanceOf(ManifestAndGatewayClient.ServiceUnavailable.class)
                .hasMessageContaining("berth-01 is not ready: Its disk is broken.")
                .hasMessageContaining("A part of the mesh does not answer");
        assertThat(services.registered).containsOnlyKeys("berth-01", "berth-02");
    }

    @Test
    void reportsAProgramThatAnExistingNodeDoesNotHave() {
        assertThat(prepare("berth-01").missingProgramNotices()).isEmpty();
        PlannedNode more =
                new PlannedNode(
                        new NodeId("berth-01"),
                        new ChainProfileId("harbour"),
                        new NodeType("edge"),
                        Map.of(),
                        List.of(
                                new PlannedNode.InitialProgram(
                                        new BinaryName("pilot"),
                                        new Version("v1"),
                                        "file:///pilot",
                                        Digest.of("pilot"))),
                        false);

        ProvisioningOutcomes again =
                new RegisteringNodeProvisioner(
                                data, new ManifestAndGatewayClient(channel, channel), services)
                        .provision(List.of(more));

        assertThat(again.missingProgramNotices())
                .containsExactly(
                        "Node berth-01 exists without program pilot of nodes.yaml: start the program"
                                + " and add it with 'drover agent adopt'.");
        assertThat(services.installed).containsExactly("berth-01");
    }

    @Test
    @DisplayName("D-164: each node that is not ready is named, and whoever is ready stays so")
    void namesEachNodeThatIsNotReady() {
        services.atInstall("berth-01", RegisteringNodeProvisionerTest::broken)
                .atInstall("berth-03", RegisteringNodeProvisionerTest::broken);

        ProvisioningOutcomes prepared = prepare("berth-01", "berth-02", "berth-03");

        assertThatThrownBy(prepared::requireAllReady)
                .isInstanceOf(UserFacingError.class)
                .hasNoCause()
                .hasMessage(
                        "berth-01 is not ready: Its disk is broken.\n"
                                + "berth-03 is not ready: Its disk is broken.");
        assertThat(services.installed).containsExactly("berth-02");
        assertThat(prepare("berth-02").end()).isEmpty();
    }
}
