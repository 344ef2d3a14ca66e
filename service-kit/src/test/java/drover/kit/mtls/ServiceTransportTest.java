package drover.kit.mtls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.health.v1.HealthVerdictServiceGrpc;
import drover.kit.Waits;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import drover.kit.telemetry.Metrics;
import drover.kit.tls.InvalidTlsFiles;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsFiles;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.HeartbeatFeedServiceGrpc;
import drover.node.v1.JoinTokenDirectoryServiceGrpc;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.ServiceName;
import drover.trust.identity.ServicePermission;
import drover.trust.identity.TrustDomain;
import io.grpc.MethodDescriptor;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a service is told of its connections with others; the handshakes are tested elsewhere. */
class ServiceTransportTest {
    private static final TrustDomain TRUST_DOMAIN = new TrustDomain("mesh.test");
    private static final FileAttribute<?> OWNER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private final Instant now = Instant.now();

    @TempDir private Path directory;

    private Path issued(ServiceName service, Duration life) throws IOException {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create("services", now, Duration.ofDays(900));
        CertificateAuthority authority =
                CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        CertificateTemplate plan =
                CertificateTemplate.ofService(
                        TRUST_DOMAIN.service(service),
                        List.of("127.0.0.1"),
                        BigInteger.ONE,
                        now,
                        life);
        TlsFiles files = TlsFiles.in(directory);
        Files.writeString(
                files.chain(),
                CertificateAuthority.toPem(List.of(authority.issue(plan, key.publicKey()))));
        if (Files.notExists(files.key())) {
            Files.createFile(files.key(), OWNER_ALONE);
        }
        Files.writeString(files.key(), key.pem());
        Files.writeString(files.trust(), founded.certificatePem());
        return directory;
    }

    private static ServiceTransport of(ServiceName own, String... arguments) {
        return ServiceTransport.fromSettings(
                own, Settings.read(own.wireName(), ServiceTransport.SETTINGS, arguments, Map.of()));
    }

    @Test
    void withoutASettingConnectionsArePlain() {
        assertThat(of(ServiceName.HEALTH).identity()).isEmpty();
    }

    @Test
    void aCertificateNeedsTheNameOfTheDeployment() throws IOException {
        String files = issued(ServiceName.HEALTH, Duration.ofDays(90)).toString();
        assertThatThrownBy(() -> of(ServiceName.HEALTH, "--service-tls", files))
                .hasMessage("--service-tls needs --trust-domain, the mesh's own name.");
    }

    @Test
    void anotherServicesCertificateIsFoundOutAtTheStart() throws IOException {
        String files = issued(ServiceName.GATEWAY, Duration.ofDays(90)).toString();
        assertThatThrownBy(
                        () ->
                                of(
                                        ServiceName.HEALTH,
                                        "--service-tls",
                                        files,
                                        "--trust-domain",
                                        "mesh.test"))
                .hasMessage(
                        "The certificate in "
                                + files
                                + " names spiffe://mesh.test/svc/gateway, and not"
                                + " spiffe://mesh.test/svc/health: give this service one of its own"
                                + " (drover authority issue).");
    }

    @Test
    void theNameOfTheDeploymentAloneIsNoReasonToBePlain() throws IOException {
        assertThatThrownBy(() -> of(ServiceName.HEALTH, "--trust-domain", "mesh.test"))
                .hasMessage(
                        "--trust-domain needs --service-tls, the directory with this service's"
                                + " certificate; leave it away where services' connections are"
                                + " plain.");
        Settings withAnother =
                Settings.read(
                        "gateway",
                        Stream.concat(
                                        ServiceTransport.SETTINGS.stream(),
                                        Stream.of(
                                                TlsIdentitySettingsReader.directorySetting(
                                                        "tls", "Agents.")))
                                .toList(),
                        new String[] {"--trust-domain", "mesh.test", "--tls", "files"},
                        Map.of());
        assertThat(
                        ServiceTransport.fromSettings(ServiceName.GATEWAY, withAnother, "tls")
                                .identity())
                .as("which needs the name for agents")
                .isEmpty();
    }

    @Test
    @DisplayName("H5 another service's certificate is not taken in the middle of life either")
    void anotherServicesCertificateIsNotTakenLater() throws IOException {
        Path files = issued(ServiceName.HEALTH, Duration.ofDays(90));
        try (ServiceTransport edges =
                ServiceTransport.mutualTls(
                        ServiceName.HEALTH, TRUST_DOMAIN, files, Duration.ofMillis(20))) {
            ReloadingIdentity identity = edges.identity().orElseThrow();
            X509Certificate own = identity.material().leaf();

            var _ = issued(ServiceName.GATEWAY, Duration.ofDays(90));

            await().atMost(Waits.LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(identity.notices(now))
                                            .singleElement()
                                            .asString()
                                            .contains("the old certificate stays in use")
                                            .contains("names spiffe://mesh.test/svc/gateway"));
            assertThat(identity.material().leaf()).isEqualTo(own);

            var _ = issued(ServiceName.HEALTH, Duration.ofDays(91));
            await().atMost(Waits.LIMIT)
                    .untilAsserted(() -> assertThat(identity.notices(now)).isEmpty());
            assertThat(identity.material().leaf()).isNotEqualTo(own);
        }
    }

    @Test
    void reportsMissingFiles() {
        assertThatThrownBy(
                        () ->
                                of(
                                        ServiceName.HEALTH,
                                        "--service-tls",
                                        directory.toString(),
                                        "--trust-domain",
                                        "mesh.test"))
                .isInstanceOf(InvalidTlsFiles.class)
                .hasMessageContaining("chain.pem cannot be read");
    }

    @Test
    @DisplayName("H5 a door opens with methods alone that an edge leads to")
    void anEndpointStaysShutForAMethodWithoutAnEdge() {
        assertThatThrownBy(
                        () ->
                                ServiceTransport.plaintext(ServiceName.HEALTH)
                                        .serverBuilder()
                                        .addService(new HealthGrpc.HealthImplBase() {})
                                        .listen(new Address.InProcess("strange")))
                .hasMessage(
                        "The door stays shut: no edge of the mesh leads to"
                                + " [grpc.health.v1.Health/Check,"
                                + " grpc.health.v1.Health/Watch]");
    }

    @Test
    @DisplayName("H5 every method of a contract among services is some edge's, and is there")
    void everyMethodAmongServicesHasAnEdge() {
        Set<String> served =
                Stream.of(
                                ManifestCatalogServiceGrpc.getServiceDescriptor(),
                                ManifestServiceGrpc.getServiceDescriptor(),
                                NodeDirectoryServiceGrpc.getServiceDescriptor(),
                                GatewayControlServiceGrpc.getServiceDescriptor(),
                                JoinTokenDirectoryServiceGrpc.getServiceDescriptor(),
                                HeartbeatFeedServiceGrpc.getServiceDescriptor(),
                                HealthVerdictServiceGrpc.getServiceDescriptor())
                        .flatMap(contract -> contract.getMethods().stream())
                        .map(MethodDescriptor::getFullMethodName)
                        .collect(Collectors.toSet());
        Set<String> named =
                Arrays.stream(ServicePermission.values())
                        .flatMap(edge -> edge.methods().stream())
                        .collect(Collectors.toSet());
        assertThat(named).isEqualTo(served);
    }

    @Test
    void whatEndsIsShownBeforeAndIsAProblemAfterwards() throws IOException {
        Duration life = Duration.ofDays(90);
        try (ReloadingIdentity identity =
                        ReloadingIdentity.open(
                                TlsFiles.in(issued(ServiceName.HEALTH, life)),
                                Duration.ofHours(1));
                Metrics metrics = Metrics.open()) {
            Instant until = identity.expiry().notAfter();
            watch(until.minus(Duration.ofDays(15)), identity).register(metrics);

            assertThat(watch(until.minus(Duration.ofDays(15)), identity).notices()).isEmpty();
            assertThat(watch(until.minus(Duration.ofDays(13)), identity).notices())
                    .singleElement()
                    .asString()
                    .contains("ends in 13 days");
            assertThat(watch(until.minus(Duration.ofDays(13)), identity).problems()).isEmpty();
            assertThat(watch(until, identity).problemsInAdditionTo(() -> List.of("Else.")).get())
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains("ended at " + until);
            assertThat(metrics.toPrometheusText())
                    .contains("drover_certificate_end_timestamp_seconds{door=\"services\"} ");
        }
    }

    private static CertificateExpiryMonitor watch(Instant now, ReloadingIdentity identity) {
        return new CertificateExpiryMonitor(InstantSource.fixed(now))
                .add("services", Optional.of(identity));
    }
}
