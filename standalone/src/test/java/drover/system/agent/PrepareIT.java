package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.cli.DroverCli;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import drover.gateway.Faults;
import drover.gateway.NodeGatewayMain;
import drover.kit.ca.CertificateAuthority;
import drover.kit.database.ConnectionPool;
import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.localenv.ca.CaFiles;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.manifest.ManifestServiceMain;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.StandaloneDeployment;
import drover.standalone.command.LocalCommands;
import drover.standalone.demo.DemoConfigFiles;
import drover.system.access.MtlsTestGateway;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.LaunchedServices;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes are made ready for agents of their own where the services run elsewhere. */
class PrepareIT {
    private static final TrustDomain DOMAIN = new TrustDomain("mesh.test");

    @TempDir Path folder;

    /**
     * How the command ended.
     *
     * @param output everything it printed
     */
    private record Ended(int exitCode, String output) {}

    @Test
    void registersANodeAndLaysItOutOnce() throws IOException {
        FullBuildAssumption.requireEverything();
        DataDirectory nodes = new DataDirectory(folder.resolve("nodes"));
        NodeDirectory quay = nodes.node(new NodeId("quay-1"));
        try (TestDeployment deployment = TestDeployment.demo(folder.resolve("mesh"), 1)) {
            Path greeter = deployment.data.config().resolve("artifacts/greeter-v1.jar");
            Files.writeString(
                    Files.createDirectory(folder.resolve("config")).resolve("nodes.yaml"),
                    "nodes:\n" + greeting("quay-1", greeter));

            assertThat(prepare(deployment, nodes))
                    .isEqualTo("quay-1 is ready in " + quay.path() + ".\n");
            String token = quay.readOrCreateToken();
            assertThat(quay.root().resolve("opt/greeter/greeter.jar"))
                    .hasSameBinaryContentAs(greeter);
            assertThat(deployment.rest.get("/api/v1/nodes/quay-1").text("/node/chain_profile_id"))
                    .isEqualTo("harbour");

            Files.writeString(quay.root().resolve("etc/greeter/greeter.conf"), "by hand");
            assertThat(prepare(deployment, nodes)).contains("quay-1 is ready");
            assertThat(quay.readOrCreateToken()).isEqualTo(token);
            Files.delete(quay.tokenFile());
            assertThat(prepare(deployment, nodes, "--certificates")).contains("quay-1 is ready");
            assertThat(quay.tokenFile()).as("nodes with certificates have none").doesNotExist();
            assertThat(quay.root().resolve("etc/greeter/greeter.conf")).hasContent("by hand");

            String sold = "{\"reason\": \"it is sold\"}";
            assertThat(deployment.rest.post("/api/v1/nodes/quay-1/retire", sold).status())
                    .isIn(200, 202);
            await().atMost(Waits.LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(prepare(deployment, nodes, "--certificates"))
                                            .contains("quay-1 is retired and stays so"));
        }
    }

    @Test
    @DisplayName("D-164: a node that cannot be laid out keeps no other from being ready")
    @Faults(
            rule = "D-82 (nodes are registered and laid out for agents elsewhere)",
            sample = "PrepareIT.registersANodeAndLaysItOutOnce")
    void goesOnAfterANodeThatCannotBeLaidOut() throws IOException {
        FullBuildAssumption.requireEverything();
        DataDirectory nodes = new DataDirectory(folder.resolve("nodes"));
        NodeDirectory broken = nodes.node(new NodeId("quay-1"));
        Files.createDirectories(broken.path());
        Files.createSymbolicLink(broken.root(), Files.createDirectory(folder.resolve("else")));
        try (TestDeployment deployment = TestDeployment.demo(folder.resolve("mesh"), 1)) {
            Path greeter = deployment.data.config().resolve("artifacts/greeter-v1.jar");
            Files.writeString(
                    Files.createDirectory(folder.resolve("config")).resolve("nodes.yaml"),
                    "nodes:\n" + greeting("quay-1", greeter) + greeting("quay-2", greeter));

            Ended ended = prepare(there(deployment, nodes));

            assertThat(ended.exitCode()).isEqualTo(1);
            assertThat(ended.output())
                    .contains("quay-1 is not ready: Node quay-1 cannot be installed: ")
                    .contains("Its programs are declared in nodes.yaml")
                    .doesNotContain("quay-1 is ready")
                    .contains("quay-2 is ready in ");
            assertThat(nodes.node(new NodeId("quay-2")).root().resolve("opt/greeter/greeter.jar"))
                    .exists();
            assertThat(folder.resolve("else")).isEmptyDirectory();
        }
    }

    private static String greeting(String node, Path greeter) throws IOException {
        return """
          - name: %s
            chain: harbour
            type: edge
            labels: { var.port: "{port}" }
            programs:
              - { name: greeter, version: v1, url: "%s", checksum: "%s" }
        """
                .formatted(node, greeter.toUri(), Digest.of(Files.readAllBytes(greeter)));
    }

    private String[] there(TestDeployment deployment, DataDirectory nodes) {
        return new String[] {
            "--data=" + nodes.root(),
            "--config=" + folder.resolve("config"),
            "--manifests=" + StandaloneDeployment.inProcessAddress("manifests", deployment.data),
            "--gateway=" + StandaloneDeployment.inProcessAddress("gateway", deployment.data)
        };
    }

    private String prepare(TestDeployment deployment, DataDirectory nodes, String... more) {
        Ended ended =
                prepare(
                        Stream.concat(Stream.of(there(deployment, nodes)), Stream.of(more))
                                .toArray(String[]::new));
        assertThat(ended.exitCode()).as("%s", ended.output()).isZero();
        return ended.output();
    }

    @Test
    @DisplayName(
            "H2 where services prove themselves, preparing does so with a certificate of its own")
    @Faults(
            rule = "D-82 (nodes are registered and laid out for agents elsewhere)",
            sample = "PrepareIT.registersANodeAndLaysItOutOnce")
    void comesInWithACertificateOfItsOwn() throws IOException {
        CertificateAuthority authority = MtlsTestGateway.authority("services");
        DemoConfigFiles.writeUnlessWritten(folder.resolve("config"));
        try (LaunchedServices services = new LaunchedServices(folder)) {
            String manifests = manifestService(services, authority);
            String gateway = nodeGateway(services, authority);
            String[] there = {
                "--data=" + folder.resolve("nodes"),
                "--config=" + folder.resolve("config"),
                "--nodes=1",
                "--manifests=" + manifests,
                "--gateway=" + gateway
            };

            Ended unprivileged = prepare(there);
            assertThat(unprivileged.output()).contains("A part of the mesh does not answer");
            assertThat(unprivileged.exitCode()).isEqualTo(1);

            Ended another = prepare(showing(identity(ServiceName.HEALTH, authority), there));
            assertThat(another.output()).contains("names spiffe://mesh.test/svc/health, and not");
            assertThat(another.exitCode()).isEqualTo(1);

            Ended itself = prepare(showing(identity(ServiceName.PREPARE, authority), there));
            assertThat(itself.output()).contains(" is ready in " + folder.resolve("nodes"));
            assertThat(itself.exitCode()).isZero();
        }
    }

    private String manifestService(LaunchedServices services, CertificateAuthority authority)
            throws IOException {
        String address = "127.0.0.1:" + services.port();
        services.ready(
                ManifestServiceMain.class,
                Map.of(),
                "config: "
                        + folder.resolve("config")
                        + "\nlisten: "
                        + address
                        + "\n"
                        + connectVerified(ServiceName.MANIFEST, authority));
        return address;
    }

    private String nodeGateway(LaunchedServices services, CertificateAuthority authority)
            throws IOException {
        EmbeddedOrExternalDatabase database =
                EmbeddedOrExternalDatabase.open(
                        new DataDirectory(folder.resolve("data")), Optional.empty());
        services.closeLast(database::close);
        ConnectionPool pool = database.openPool("prepare", 2);
        services.closeLast(pool::close);
        String address = "127.0.0.1:" + services.port();
        services.ready(
                NodeGatewayMain.class,
                Map.of("DROVER_GATEWAY_POSTGRES", pool.url()),
                "id: gateway-1\nagent-listen: 127.0.0.1:0\ninternal-listen: "
                        + address
                        + "\n"
                        + connectVerified(ServiceName.GATEWAY, authority));
        return address;
    }

    private String connectVerified(ServiceName service, CertificateAuthority authority) {
        return "service-tls: %s\ntrust-domain: %s\n"
                .formatted(identity(service, authority), DOMAIN.value());
    }

    /** What this service shows, in a directory of its own. */
    private Path identity(ServiceName service, CertificateAuthority authority) {
        Path directory = folder.resolve(service.wireName());
        var _ =
                CaFiles.issue(
                        authority,
                        new CaFiles.ServiceCertificateSpec(
                                DOMAIN.service(service),
                                List.of("127.0.0.1"),
                                List.of(authority.certificate()),
                                Instant.now(),
                                Duration.ofHours(1)),
                        directory);
        return directory;
    }

    private static String[] showing(Path identity, String... options) {
        return Stream.concat(
                        Stream.of(options),
                        Stream.of("--service-tls=" + identity, "--trust-domain=" + DOMAIN.value()))
                .toArray(String[]::new);
    }

    private static Ended prepare(String... options) {
        StringWriter reported = new StringWriter();
        PrintWriter out = new PrintWriter(reported, true);
        int code =
                LocalCommands.addTo(DroverCli.commandLine(Console.of(out, out, OutputTraits.PLAIN)))
                        .execute(
                                Stream.concat(Stream.of("prepare"), Stream.of(options))
                                        .toArray(String[]::new));
        return new Ended(code, reported.toString());
    }
}
