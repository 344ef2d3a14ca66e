package drover.gateway;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.grpc.Address;
import drover.kit.mtls.ServiceTransport;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsFiles;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentEndpointTlsTest {
    private static final TrustDomain TRUST_DOMAIN = new TrustDomain("mesh.test");
    private static final Address ANY = Address.parse("127.0.0.1:0");

    @TempDir private Path folder;

    private final CertificateAuthority services = authority("services");
    private final CertificateAuthority nodes = authority("nodes");

    private static CertificateAuthority authority(String name) {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create(name, Instant.now(), Duration.ofDays(9));
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    private Path files(String name, CertificateAuthority... trusted) throws IOException {
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        CertificateTemplate plan =
                CertificateTemplate.ofService(
                        TRUST_DOMAIN.service(ServiceName.GATEWAY),
                        List.of("127.0.0.1"),
                        BigInteger.ONE,
                        Instant.now(),
                        Duration.ofDays(1));
        Path directory = Files.createDirectories(folder.resolve(name));
        TlsFiles files = TlsFiles.in(directory);
        Files.writeString(
                files.chain(),
                CertificateAuthority.toPem(List.of(services.issue(plan, key.publicKey()))));
        Files.createFile(
                files.key(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(files.key(), key.pem());
        Files.writeString(
                files.trust(),
                CertificateAuthority.toPem(
                        List.of(trusted).stream().map(CertificateAuthority::certificate).toList()));
        return directory;
    }

    private AgentEndpointTls tls() throws IOException {
        return new AgentEndpointTls(
                ReloadingIdentity.open(TlsFiles.in(files("agents", nodes)), Duration.ofHours(1)),
                TRUST_DOMAIN,
                Optional.empty(),
                Optional.of(new EnrollmentEndpointConfig(ANY, nodes, Duration.ofHours(1))));
    }

    @Test
    @DisplayName("SECURITY 4: a captured gateway cannot sign itself a coordinator")
    void theAuthorityOfNodesIsNotTrustedByServices() throws IOException {
        try (AgentEndpointTls tls = tls();
                ServiceTransport apart =
                        ServiceTransport.mutualTls(
                                ServiceName.GATEWAY, TRUST_DOMAIN, files("apart", services));
                ServiceTransport mixed =
                        ServiceTransport.mutualTls(
                                ServiceName.GATEWAY,
                                TRUST_DOMAIN,
                                files("mixed", services, nodes))) {
            assertThatCode(() -> tls.requireSeparateCa(apart)).doesNotThrowAnyException();
            assertThatCode(
                            () ->
                                    tls.requireSeparateCa(
                                            ServiceTransport.plaintext(ServiceName.GATEWAY)))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> tls.requireSeparateCa(mixed))
                    .hasMessageStartingWith(
                            "trust.pem of --service-tls holds the certificate of --authority")
                    .hasMessageContaining("an authority of their own");
        }
    }

    @Test
    @DisplayName(
            "SECURITY 4: nor once its trust is read anew: the old one stays in use, and is told")
    void theAuthorityOfNodesIsNotTrustedByServicesLater() throws IOException {
        Path directory = files("later", services);
        Path trust = TlsFiles.in(directory).trust();
        try (AgentEndpointTls tls = tls();
                ServiceTransport edges =
                        ServiceTransport.mutualTls(
                                ServiceName.GATEWAY,
                                TRUST_DOMAIN,
                                directory,
                                Duration.ofMillis(50))) {
            tls.requireSeparateCa(edges);
            ReloadingIdentity used = edges.identity().orElseThrow();

            Files.writeString(
                    trust,
                    CertificateAuthority.toPem(
                            List.of(services.certificate(), nodes.certificate())));

            await().atMost(Waits.LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(used.notices(Instant.now()))
                                            .singleElement(as(STRING))
                                            .contains("stays in use", "holds the certificate of"));
            assertThat(used.material().authorities()).containsExactly(services.certificate());

            Files.writeString(trust, CertificateAuthority.toPem(List.of(services.certificate())));

            await().atMost(Waits.LIMIT).until(() -> used.notices(Instant.now()).isEmpty());
        }
    }
}
