package drover.system.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.election.EtcdServer;
import drover.kit.ca.CertificateAuthority;
import drover.localenv.ca.CaFiles;
import drover.model.cluster.ClusterRole;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.cluster.VerbResult.Outcome;
import drover.opsagent.cluster.etcd.EtcdAccess;
import drover.opsagent.cluster.etcd.EtcdClusterDriver;
import drover.system.fixture.Waits;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Mutual TLS and authentication of a real etcd. */
@Timeout(600)
class EtcdAccessIT {
    @TempDir private Path directory;
    private Path files = Path.of("");
    private Path otherFiles = Path.of("");
    private Optional<EtcdServer> server = Optional.empty();

    @BeforeEach
    void issueCertificates() {
        files = issue("ca", "tls");
        otherFiles = issue("other-ca", "other-tls");
    }

    @AfterEach
    void close() {
        server.ifPresent(EtcdServer::close);
    }

    private Path issue(String ca, String out) {
        CertificateAuthority authority =
                new CaFiles(directory.resolve(ca))
                        .create("etcd", InstantSource.system().instant(), Duration.ofDays(1));
        CaFiles.issue(
                authority,
                new CaFiles.ServiceCertificateSpec(
                        new TrustDomain("test").service(ServiceName.COORDINATOR),
                        List.of("127.0.0.1"),
                        List.of(authority.certificate()),
                        InstantSource.system().instant(),
                        Duration.ofDays(1)),
                directory.resolve(out));
        return directory.resolve(out);
    }

    private static EtcdAccess access(Path trusted, Path shown) {
        return new EtcdAccess(
                Optional.of(trusted.resolve("trust.pem")),
                Optional.of(shown.resolve("chain.pem")),
                Optional.of(shown.resolve("key.pem")),
                Optional.empty());
    }

    private ProbeResult probe(EtcdAccess access) {
        return driver(access).probe();
    }

    private EtcdClusterDriver driver(EtcdAccess access) {
        return new EtcdClusterDriver(server.orElseThrow().endpoint().toString(), access);
    }

    @Test
    void probesAndWritesSnapshotsOverMutualTls() throws IOException {
        server = Optional.of(EtcdServer.withClientCertificates(files));
        EtcdAccess access = access(files, files);
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                probe(access) instanceof ProbeResult.Reported(var report)
                                        && report.role() == ClusterRole.ALONE);
        Path snapshots = Files.createDirectory(directory.resolve("snapshots"));
        assertThat(driver(access).snapshot(snapshots).outcome()).isEqualTo(Outcome.DONE);
        assertThat(failure(access(otherFiles, files))).contains("TLS fails");
        assertThat(failure(access(files, otherFiles))).contains("cannot be queried");
        assertThat(
                        failure(
                                new EtcdAccess(
                                        Optional.of(files.resolve("trust.pem")),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty())))
                .contains("cannot be queried");
    }

    private String failure(EtcdAccess access) {
        ProbeResult result = probe(access);
        assertThat(result).isInstanceOf(ProbeResult.Failed.class);
        return ((ProbeResult.Failed) result).reason();
    }

    @Test
    @DisplayName("With authentication, a probe needs the user's file")
    void authenticates() throws IOException, InterruptedException {
        server = Optional.of(EtcdServer.cluster(1).getFirst());
        await().atMost(Waits.LIMIT)
                .until(() -> probe(EtcdAccess.NONE) instanceof ProbeResult.Reported);
        post("/v3/auth/user/add", "{\"name\": \"root\", \"password\": \"secret\"}");
        post("/v3/auth/role/add", "{\"name\": \"root\"}");
        post("/v3/auth/user/grant", "{\"user\": \"root\", \"role\": \"root\"}");
        post("/v3/auth/enable", "{}");

        Path user = Files.writeString(directory.resolve("user"), "root:secret\n");
        assertThatThrownBy(() -> probe(withUser(user))).hasMessageContaining("mode 0600");
        Files.setPosixFilePermissions(user, PosixFilePermissions.fromString("rw-------"));
        assertThat(probe(withUser(user)))
                .isInstanceOfSatisfying(
                        ProbeResult.Reported.class,
                        each -> assertThat(each.report().healthyVoters()).containsExactly("m0"));
        Path snapshots = Files.createDirectory(directory.resolve("snapshots"));
        assertThat(driver(withUser(user)).snapshot(snapshots).outcome()).isEqualTo(Outcome.DONE);
        assertThat(driver(EtcdAccess.NONE).snapshot(snapshots).outcome())
                .isEqualTo(Outcome.NOT_NOW);

        Files.writeString(user, "root:wrong\n");
        assertThat(failure(withUser(user))).contains("authentication failed");
    }

    private static EtcdAccess withUser(Path file) {
        return new EtcdAccess(
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(file));
    }

    private void post(String path, String body) throws IOException, InterruptedException {
        URI address = server.orElseThrow().endpoint().resolve(path);
        HttpRequest request =
                HttpRequest.newBuilder(address)
                        .timeout(Waits.LIMIT)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }
}
