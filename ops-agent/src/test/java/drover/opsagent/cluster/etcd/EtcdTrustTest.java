package drover.opsagent.cluster.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.cluster.ClusterReport;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of the etcd driver to members that a member list names, also hostile ones. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EtcdTrustTest {
    @TempDir private Path directory;
    private final FakeEtcd given = FakeEtcd.start(1);
    private final FakeEtcd found = FakeEtcd.start(2);

    @BeforeEach
    void formACluster() {
        setMembers(FakeEtcd.member(1, given.url()), FakeEtcd.member(2, found.url()));
    }

    @AfterEach
    void close() {
        given.close();
        found.close();
    }

    private void setMembers(String... members) {
        given.setMembers(members);
        found.setMembers(members);
    }

    private EtcdAccess access() throws IOException {
        Path user = Files.writeString(directory.resolve("user"), "root:secret\n");
        Files.setPosixFilePermissions(user, PosixFilePermissions.fromString("rw-------"));
        return new EtcdAccess(
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(user));
    }

    private static ClusterReport report(ClusterDriver driver) {
        ProbeResult result = driver.probe();
        assertThat(result).isInstanceOf(ProbeResult.Reported.class);
        return ((ProbeResult.Reported) result).report();
    }

    private static String failure(ClusterDriver driver) {
        ProbeResult result = driver.probe();
        assertThat(result).isInstanceOf(ProbeResult.Failed.class);
        return ((ProbeResult.Failed) result).reason();
    }

    @Test
    @DisplayName("H14: a URL of the member list gets neither the password nor the token")
    void sendsCredentialsOnlyToTheEndpoint() throws IOException {
        given.requireToken();
        found.requireToken();
        ClusterReport report = report(new EtcdClusterDriver(given.url(), access()));
        assertThat(report.healthyVoters()).containsExactly("m1");
        assertThat(given.received()).anyMatch(each -> each.contains("secret"));
        assertThat(found.received())
                .isNotEmpty()
                .noneMatch(each -> each.contains("secret") || each.contains(FakeEtcd.TOKEN));
    }

    @Test
    @DisplayName("H14: drivers of members that the list names get no credentials either")
    void sendsCredentialsOfACheckOnlyToTheGivenEndpoints() throws IOException {
        found.requireToken();
        Map<String, EtcdClusterDriver> drivers =
                EtcdClusterDriver.ofCluster(List.of(given.url()), access());
        assertThat(drivers).containsOnlyKeys(given.url(), found.url());
        for (EtcdClusterDriver each : drivers.values()) {
            each.probe();
        }
        assertThat(found.received())
                .isNotEmpty()
                .noneMatch(each -> each.contains("secret") || each.contains(FakeEtcd.TOKEN));
        assertThat(failure(Objects.requireNonNull(drivers.get(found.url()))))
                .contains("pass it as an endpoint");

        found.received().clear();
        EtcdClusterDriver.ofCluster(List.of(given.url(), found.url()), access())
                .values()
                .forEach(ClusterDriver::probe);
        assertThat(found.received()).anyMatch(each -> each.contains(FakeEtcd.TOKEN));
    }

    @Test
    @DisplayName("H14: URLs of another scheme than the endpoint's are not queried")
    void doesNotQueryUrlsOfAnotherScheme() {
        setMembers(
                FakeEtcd.member(1, given.url()),
                FakeEtcd.member(2, found.url().replace("http:", "https:")));
        EtcdClusterDriver driver = new EtcdClusterDriver(given.url(), EtcdAccess.NONE);
        assertThat(report(driver).healthyVoters()).containsExactly("m1");
        assertThat(driver.findOtherEndpoints()).isEmpty();
        assertThat(
                        EtcdMember.listOf(
                                        EtcdGateway.JSON.readTree(
                                                "{\"members\": ["
                                                        + FakeEtcd.member(2, found.url())
                                                        + "]}"),
                                        "https")
                                .getFirst()
                                .clientUrls())
                .isEmpty();
    }

    @Test
    @DisplayName("K2: a member that responds but reaches no majority does not count as healthy")
    void aMemberWithoutContactToTheMajorityIsNotHealthy() {
        found.loseQuorum();
        EtcdClusterDriver driver = new EtcdClusterDriver(given.url(), EtcdAccess.NONE);
        assertThat(report(driver).healthyVoters()).containsExactly("m1");
        given.loseQuorum();
        assertThat(report(driver).healthyVoters()).isEmpty();
    }

    @Test
    @DisplayName("J1: a member list that is too long is rejected before a request to its members")
    void rejectsALongMemberListBeforeItConnects() {
        EtcdClusterDriver driver = new EtcdClusterDriver(given.url(), EtcdAccess.NONE);
        String[] members =
                LongStream.rangeClosed(1, 81)
                        .mapToObj(id -> FakeEtcd.member(id, id == 1 ? given.url() : found.url()))
                        .toArray(String[]::new);
        setMembers(members);
        assertThat(failure(driver)).contains("81 members", "at most 80");
        assertThat(driver.findOtherEndpoints()).isEmpty();
        String[] urls = new String[5];
        Arrays.fill(urls, found.url());
        setMembers(FakeEtcd.member(1, given.url()), FakeEtcd.member(2, urls));
        assertThat(failure(driver)).contains("5 client URLs of one member", "at most 4");
        assertThat(found.received()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://root:secret@127.0.0.1:1",
                "http://root:secret@127.0.0.1:1 ",
                "http://127.0.0.1:1?password=secret",
                "http://127.0.0.1:1#secret",
                "http://127.0.0.1:1/secret",
                "http:secret",
                "root:secret@127.0.0.1:1"
            })
    @DisplayName("H14: an endpoint with a user is rejected, and the message does not repeat it")
    void rejectsAnEndpointWithAUser(String endpoint) {
        assertThatThrownBy(() -> new EtcdClusterDriver(endpoint, EtcdAccess.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https://HOST:PORT")
                .hasNoCause()
                .extracting(Throwable::getMessage)
                .asString()
                .doesNotContain("secret");
    }

    @Test
    @DisplayName("An error text of etcd is one line of at most 512 characters without controls")
    void limitsTheErrorTextOfEtcd() {
        given.failWith("broken\u009b31m\n\u202eecilop" + "x".repeat(900_000));
        assertThat(failure(new EtcdClusterDriver(given.url(), EtcdAccess.NONE)))
                .contains("broken 31m  ecilop")
                .hasLineCount(1)
                .hasSizeLessThan(700)
                .doesNotContain("\u009b", "\u202e");
    }
}
