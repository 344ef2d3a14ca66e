package drover.kit.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.authority.Authority;
import drover.kit.authority.CertificatePlan;
import drover.kit.grpc.Address;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metrics;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.TlsFiles;
import drover.kit.tls.TlsProblem;
import drover.model.identity.ConnectionKey;
import drover.model.identity.MeshService;
import drover.model.identity.TrustDomain;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a service is told of its connections with others; the handshakes are tested elsewhere. */
class ServiceEdgesTest {
    private static final TrustDomain MESH = new TrustDomain("mesh.test");
    private final Instant now = Instant.now();

    @TempDir private Path directory;

    private Path issued(MeshService service, Duration life) throws IOException {
        Authority.Founded founded = Authority.found("services", now, Duration.ofDays(900));
        Authority authority = Authority.open(founded.certificatePem(), founded.keyPem());
        ConnectionKey key = ConnectionKey.create();
        CertificatePlan plan =
                CertificatePlan.ofService(
                        MESH.service(service), List.of("127.0.0.1"), BigInteger.ONE, now, life);
        TlsFiles files = TlsFiles.in(directory);
        Files.writeString(
                files.chain(), Authority.pem(List.of(authority.issue(plan, key.publicKey()))));
        Files.writeString(files.key(), key.pem());
        Files.writeString(files.trust(), founded.certificatePem());
        return directory;
    }

    private static ServiceEdges of(MeshService own, String... arguments) {
        return ServiceEdges.of(
                own, Settings.read(own.word(), ServiceEdges.SETTINGS, arguments, Map.of()));
    }

    @Test
    void withoutASettingConnectionsArePlain() {
        assertThat(of(MeshService.HEALTH).identity()).isEmpty();
    }

    @Test
    void aCertificateNeedsTheNameOfTheMesh() throws IOException {
        String files = issued(MeshService.HEALTH, Duration.ofDays(90)).toString();
        assertThatThrownBy(() -> of(MeshService.HEALTH, "--service-tls", files))
                .hasMessage("--service-tls needs --trust-domain, the mesh's own name.");
    }

    @Test
    void anotherServicesCertificateIsFoundOutAtTheStart() throws IOException {
        String files = issued(MeshService.GATEWAY, Duration.ofDays(90)).toString();
        assertThatThrownBy(
                        () ->
                                of(
                                        MeshService.HEALTH,
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
    void filesThatAreNotThereAreSaidToBeMissing() {
        assertThatThrownBy(
                        () ->
                                of(
                                        MeshService.HEALTH,
                                        "--service-tls",
                                        directory.toString(),
                                        "--trust-domain",
                                        "mesh.test"))
                .isInstanceOf(TlsProblem.class)
                .hasMessageContaining("chain.pem cannot be read");
    }

    @Test
    @DisplayName("H5 a door opens with contracts alone that an edge leads to")
    void aDoorStaysShutForAContractWithoutAnEdge() {
        assertThatThrownBy(
                        () ->
                                ServiceEdges.plain(MeshService.HEALTH)
                                        .door()
                                        .serve(new HealthGrpc.HealthImplBase() {})
                                        .listen(new Address.InProcess("strange")))
                .hasMessage(
                        "The door stays shut: no edge of the mesh leads to [grpc.health.v1.Health]");
    }

    @Test
    void whatEndsIsShownBeforeAndIsAProblemAfterwards() throws IOException {
        Duration life = Duration.ofDays(90);
        try (LiveIdentity identity =
                        LiveIdentity.open(
                                TlsFiles.in(issued(MeshService.HEALTH, life)),
                                Duration.ofHours(1));
                Metrics metrics = Metrics.open()) {
            Instant until = identity.end().until();
            watch(until.minus(Duration.ofDays(15)), identity).show(metrics);

            assertThat(watch(until.minus(Duration.ofDays(15)), identity).notices()).isEmpty();
            assertThat(watch(until.minus(Duration.ofDays(13)), identity).notices())
                    .singleElement()
                    .asString()
                    .contains("ends in 13 days");
            assertThat(watch(until.minus(Duration.ofDays(13)), identity).problems()).isEmpty();
            assertThat(watch(until, identity).problemsAfter(() -> List.of("Else.")).get())
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains("ended at " + until);
            assertThat(metrics.text())
                    .contains("drover_certificate_end_timestamp_seconds{door=\"services\"} ");
        }
    }

    private static CertificateWatch watch(Instant now, LiveIdentity identity) {
        return new CertificateWatch(InstantSource.fixed(now))
                .and("services", Optional.of(identity));
    }
}
