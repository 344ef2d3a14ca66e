package drover.standalone.doctor;

import static drover.standalone.doctor.DoctorFinding.Level.FAIL;
import static drover.standalone.doctor.DoctorFinding.Level.OK;
import static drover.standalone.doctor.DoctorFinding.Level.WARN;
import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Address;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.rest.HttpServer;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsFiles;
import drover.localenv.UserFacingError;
import drover.localenv.ca.CaFiles;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of certificates, by real files and by the real page of a service. */
class GatewayCertificateExpiryCheckTest {
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private static final Duration LIFE = Duration.ofDays(90);
    private static final Address.Tcp ANY = new Address.Tcp("127.0.0.1", 0);

    @TempDir Path folder;
    private TlsFiles files;

    @BeforeEach
    void issue() {
        CaFiles authority = new CaFiles(folder.resolve("services"));
        files =
                CaFiles.issue(
                        authority.create("services", now, LIFE.multipliedBy(2)),
                        new CaFiles.ServiceCertificateSpec(
                                new TrustDomain("mesh.test").service(ServiceName.GATEWAY),
                                List.of("127.0.0.1"),
                                List.of(authority.open().certificate()),
                                now,
                                LIFE),
                        folder.resolve("gw-1"));
    }

    private Instant daysBeforeTheEnd(int days) {
        return now.plus(LIFE).minus(Duration.ofDays(days));
    }

    @Test
    @DisplayName("of a mesh in one process: well, soon, and ended, from two weeks before")
    void reportsTheExpiryOfTheGatewaysCertificate() {
        Path chain = files.chain();

        assertThat(GatewayCertificateExpiryCheck.run(chain, daysBeforeTheEnd(15)))
                .extracting(DoctorFinding::level)
                .containsExactly(OK);
        assertThat(GatewayCertificateExpiryCheck.run(chain, daysBeforeTheEnd(13)))
                .containsExactly(
                        DoctorFinding.warn(
                                "tls",
                                "The certificate of the mesh's gateway ends at "
                                        + daysBeforeTheEnd(0)
                                        + ": end the mesh and start it again ('drover up'), which"
                                        + " makes a new one."));
        assertThat(GatewayCertificateExpiryCheck.run(chain, daysBeforeTheEnd(-1)).getFirst())
                .satisfies(
                        ended -> {
                            assertThat(ended.level()).isEqualTo(FAIL);
                            assertThat(ended.sentence()).contains("ended at", "drover up");
                        });
    }

    @Test
    void aFileThatIsNoneIsAFindingToo() {
        assertThat(
                        DoctorFinding.runCheck(
                                "tls",
                                () ->
                                        GatewayCertificateExpiryCheck.run(
                                                files.trust().resolveSibling("."), now)))
                .extracting(DoctorFinding::level)
                .containsExactly(FAIL);
    }

    private List<DoctorFinding> findingsAt(Instant now) {
        try (ReloadingIdentity identity = ReloadingIdentity.open(files, Duration.ofHours(1))) {
            CertificateExpiryMonitor watch =
                    new CertificateExpiryMonitor(InstantSource.fixed(now))
                            .add("services", Optional.of(identity));
            try (HttpServer endpoint =
                    HttpServer.builder().readyWhen(watch::problems, watch::notices).listen(ANY)) {
                return ServiceCheck.run(List.of("127.0.0.1:" + endpoint.port()));
            }
        }
    }

    @Test
    @DisplayName("of services of their own: as they say it themselves at /readyz, with what to do")
    void reportsTheStateOfServices() {
        assertThat(findingsAt(daysBeforeTheEnd(15)))
                .singleElement()
                .satisfies(
                        healthy -> {
                            assertThat(healthy.level()).isEqualTo(OK);
                            assertThat(healthy.sentence()).endsWith(" is ready.");
                        });
        assertThat(findingsAt(daysBeforeTheEnd(13)))
                .singleElement()
                .satisfies(
                        soon -> {
                            assertThat(soon.level()).isEqualTo(WARN);
                            assertThat(soon.sentence())
                                    .contains(
                                            "The certificate in " + folder.resolve("gw-1"),
                                            "ends in 13 days; put a new one there (drover authority"
                                                    + " issue)");
                        });
        assertThat(findingsAt(daysBeforeTheEnd(-1)))
                .singleElement()
                .satisfies(
                        ended -> {
                            assertThat(ended.level()).isEqualTo(FAIL);
                            assertThat(ended.sentence())
                                    .contains("is not ready: The certificate in", "ended at");
                        });
    }

    @Test
    void whatDoesNotAnswerOrIsNoServiceFails() throws IOException {
        int none;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            none = socket.getLocalPort();
        }

        assertThat(ServiceCheck.run(List.of("127.0.0.1:" + none)))
                .containsExactly(
                        DoctorFinding.fail(
                                "services",
                                "127.0.0.1:"
                                        + none
                                        + " does not answer: see whether the service runs, and"
                                        + " whether that is the address of its --metrics."));
        Assertions.assertThatThrownBy(() -> ServiceCheck.run(List.of("gw-1")))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("write host:port");
    }
}
