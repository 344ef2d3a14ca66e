package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real etcd that shows a certificate and demands one of each client. */
@SuppressWarnings("NullAway.Init") // every test starts what it needs
final class EtcdTlsIT {
    private static final Duration TTL = Duration.ofSeconds(6); // a third of it without an answer
    private static final Duration SOON = Waits.LIMIT;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    @TempDir Path directory;
    private final EtcdCertificates own = new EtcdCertificates();
    private EtcdServer member;
    private ReloadingIdentity identity;
    private RecordingCandidate candidate;

    @AfterEach
    void closeAll() {
        if (candidate != null) {
            candidate.close();
        }
        if (identity != null) {
            identity.close();
        }
        if (member != null) {
            member.close();
        }
    }

    private void start(String host) {
        member = EtcdServer.withClientCertificates(own.issue(directory.resolve("etcd"), host));
    }

    private void campaign(Path shown) {
        identity = ReloadingIdentity.open(TlsFiles.in(shown), POLL_INTERVAL);
        EtcdClientConfig clientConfig =
                new EtcdClientConfig(List.of(member.endpoint()), Optional.of(identity));
        candidate =
                new RecordingCandidate(
                        new LeaseElector(new EtcdLeaseFactory(clientConfig, TTL), TTL));
        candidate.campaign("alone");
    }

    private void neverElected() {
        await().during(TTL).atMost(SOON).until(() -> !candidate.isElected());
        assertThat(candidate.calls()).isEmpty();
    }

    @Test
    @DisplayName("D-126: both ends prove themselves, and the candidate stays elected")
    void whoShowsACertificateIsElected() {
        start("127.0.0.1");

        campaign(own.issue(directory.resolve("coordinator"), "coordinator"));

        await().atMost(SOON).until(candidate::isElected);
        await().during(TTL).atMost(SOON).until(candidate::isElected);
        assertThat(candidate.calls()).containsExactly("elected: true");
    }

    @Test
    @DisplayName("D-126: etcd takes no stranger's certificate, and a good one without a restart")
    void aStrangerIsNotElectedUntilItsFilesAreGood() throws Exception {
        start("127.0.0.1");
        Path shown = new EtcdCertificates().issue(directory.resolve("coordinator"), "coordinator");
        own.trust(shown);

        campaign(shown);
        neverElected();
        own.issue(shown, "coordinator");

        await().atMost(SOON).until(candidate::isElected);
    }

    @Test
    @DisplayName("D-126: an etcd whose certificate is for another host is not believed")
    void anEtcdOfAnotherHostIsNotTrusted() {
        start("elsewhere.example.com");

        campaign(own.issue(directory.resolve("coordinator"), "coordinator"));

        neverElected();
    }

    @Test
    @DisplayName("D-126: an etcd whose authority is not in the trust file is not believed")
    void anEtcdOfAnotherAuthorityIsNotTrusted() throws Exception {
        start("127.0.0.1");
        Path shown = own.issue(directory.resolve("coordinator"), "coordinator");
        new EtcdCertificates().trust(shown);

        campaign(shown);

        neverElected();
    }
}
