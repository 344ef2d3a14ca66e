package drover.opsagent.cluster.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.cluster.VerbResult.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that etcd does not return: redirects, endless ones, and ones of another member. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EtcdHostileServerTest {
    private static final String STATUS = "/v3/maintenance/status";
    private static final String MEMBERS = "/v3/cluster/member/list";

    @TempDir private Path directory;
    private final FakeEtcd given = etcd(1);
    private final FakeEtcd found = etcd(2);
    private final CountDownLatch closed = new CountDownLatch(1);

    @BeforeEach
    void formACluster() {
        setMembers(FakeEtcd.member(1, given.url()), FakeEtcd.member(2, found.url()));
    }

    @AfterEach
    void close() {
        closed.countDown();
        given.close();
        found.close();
    }

    private static FakeEtcd etcd(long id) {
        try {
            return new FakeEtcd(id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void setMembers(String... members) {
        given.setMembers(members);
        found.setMembers(members);
    }

    private EtcdClusterDriver driver() {
        return new EtcdClusterDriver(given.url(), EtcdAccess.NONE);
    }

    private static List<String> healthyVoters(ClusterDriver driver) {
        ProbeResult result = driver.probe();
        assertThat(result).isInstanceOf(ProbeResult.Reported.class);
        return ((ProbeResult.Reported) result).report().healthyVoters();
    }

    private static String failure(ClusterDriver driver) {
        ProbeResult result = driver.probe();
        assertThat(result).isInstanceOf(ProbeResult.Failed.class);
        return ((ProbeResult.Failed) result).reason();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    @DisplayName("J1: a redirect is not followed")
    void followsNoRedirect(int status) {
        given.handle(
                STATUS,
                exchange -> {
                    exchange.getResponseHeaders().set("Location", found.url() + STATUS);
                    FakeEtcd.respond(exchange, status, "{}");
                });
        setMembers(FakeEtcd.member(1, given.url()));
        assertThat(failure(driver())).contains("HTTP status " + status);
        assertThat(found.received()).isEmpty();
    }

    @Test
    @DisplayName("J1: a response of more than 1 MiB is not read")
    void limitsTheResponse() {
        AtomicInteger padding = new AtomicInteger();
        given.handle(
                MEMBERS,
                exchange ->
                        FakeEtcd.respond(
                                exchange,
                                200,
                                "{\"members\": ["
                                        + FakeEtcd.member(1, given.url())
                                        + "]"
                                        + " ".repeat(padding.get())
                                        + "}"));
        padding.set(900_000);
        assertThat(healthyVoters(driver())).containsExactly("m1");
        padding.set(1_100_000);
        assertThat(failure(driver())).contains("cannot be queried");
    }

    @Test
    @DisplayName("K4: a response that stops in its body ends at the timeout")
    void limitsTheTimeOfTheBody() {
        given.handle(
                STATUS,
                exchange -> {
                    exchange.sendResponseHeaders(200, 100);
                    exchange.getResponseBody().write('{');
                    exchange.getResponseBody().flush();
                    await(closed);
                });
        assertThat(failure(driver())).contains("did not respond in time");
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "<html>", "[1", "{\"header\": {\"member_id\": \"-1\"}}", "{}", "null"})
    @DisplayName("K4: a status that is not etcd's is no report")
    void rejectsOtherResponses(String body) {
        given.handle(STATUS, exchange -> FakeEtcd.respond(exchange, 200, body));
        assertThat(failure(driver())).hasLineCount(1);
    }

    @Test
    @DisplayName("K2: a URL that leads to another member gives its member no vote")
    void checksTheMemberAtAUrl() {
        setMembers(FakeEtcd.member(1, given.url()), FakeEtcd.member(2, given.url()));
        assertThat(healthyVoters(driver())).containsExactly("m1");
        setMembers(FakeEtcd.member(1, given.url()), FakeEtcd.member(2, found.url()));
        assertThat(healthyVoters(driver())).containsExactly("m1", "m2");
    }

    private EtcdClusterDriver authenticatedDriver() throws IOException {
        Path user = Files.writeString(directory.resolve("user"), "root:secret\n");
        Files.setPosixFilePermissions(user, PosixFilePermissions.fromString("rw-------"));
        return new EtcdClusterDriver(
                given.url(),
                new EtcdAccess(
                        Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(user)));
    }

    private long authentications() {
        return given.received().stream().filter(each -> each.contains("authenticate")).count();
    }

    @Test
    @DisplayName("An expired token is renewed once, and a token that is never valid ends the probe")
    void renewsAnExpiredToken() throws IOException {
        given.requireToken();
        setMembers(FakeEtcd.member(1, given.url()));
        EtcdClusterDriver driver = authenticatedDriver();
        AtomicInteger issued = new AtomicInteger();
        given.handle(
                "/v3/auth/authenticate",
                exchange ->
                        FakeEtcd.respond(
                                exchange,
                                200,
                                "{\"token\": \""
                                        + (issued.getAndIncrement() == 0 ? "old" : FakeEtcd.TOKEN)
                                        + "\"}"));
        assertThat(driver.findOtherEndpoints()).isEmpty();
        assertThat(authentications()).isEqualTo(2);
        assertThat(healthyVoters(driver)).containsExactly("m1");

        given.handle(
                "/v3/auth/authenticate",
                exchange -> FakeEtcd.respond(exchange, 200, "{\"token\": \"never\"}"));
        given.received().clear();
        assertThat(failure(authenticatedDriver())).contains("invalid auth token");
        assertThat(authentications()).isLessThanOrEqualTo(4);
    }

    @Test
    @DisplayName("An authentication without a token is explained")
    void rejectsAnEmptyToken() throws IOException {
        given.requireToken();
        given.handle("/v3/auth/authenticate", exchange -> FakeEtcd.respond(exchange, 200, "{}"));
        assertThat(failure(authenticatedDriver())).contains("returned no token");
    }

    @Test
    @DisplayName("Requests at the same time share one authentication")
    void authenticatesOnce() throws IOException {
        given.requireToken();
        setMembers(FakeEtcd.member(1, given.url()));
        assertThat(healthyVoters(authenticatedDriver())).containsExactly("m1");
        assertThat(authentications()).isEqualTo(1);
    }

    private void acceptTransfers(String statusAfter) {
        given.handle(
                "/v3/maintenance/transfer-leadership",
                exchange -> {
                    given.setStatus(statusAfter);
                    FakeEtcd.respond(exchange, 200, "{}");
                });
    }

    @Test
    @DisplayName("K3: a step-down is done only if the target leads")
    void verifiesTheLeaderAfterATransfer() {
        acceptTransfers("\"leader\": \"0\"");
        assertThat(driver().stepDownTo("m2").outcome()).isEqualTo(Outcome.NOT_NOW);
        given.setStatus("\"leader\": \"1\"");
        acceptTransfers("\"leader\": \"3\"");
        assertThat(driver().stepDown().outcome()).isEqualTo(Outcome.NOT_NOW);
        given.setStatus("\"leader\": \"1\"");
        acceptTransfers("\"leader\": \"2\"");
        assertThat(driver().stepDown().outcome()).isEqualTo(Outcome.DONE);
    }

    @Test
    @DisplayName("K3: the index of the leader is read after those of the others")
    void readsTheLeaderLast() {
        found.handle(
                STATUS,
                exchange -> {
                    given.setStatus("\"leader\": \"1\", \"raftIndex\": \"5000\"");
                    FakeEtcd.respond(
                            exchange,
                            200,
                            """
                            {"header": {"cluster_id": "99", "member_id": "2"}, "leader": "1",
                             "raftTerm": "7", "raftIndex": "5", "raftAppliedIndex": "5"}
                            """);
                });
        acceptTransfers("\"leader\": \"2\"");
        assertThat(driver().stepDown().outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(given.received()).noneMatch(each -> each.contains("transfer"));
    }

    @Test
    @DisplayName("The version of the cluster is optional")
    void reportsWithoutAVersion() {
        given.handle("/version", exchange -> FakeEtcd.respond(exchange, 404, "{}"));
        assertThat(healthyVoters(driver())).containsExactly("m1", "m2");
    }

    /** A label of 64 characters is rejected without a request to a name server. */
    @Test
    void anUnknownHostIsNotARefusedConnection() {
        assertThat(
                        failure(
                                new EtcdClusterDriver(
                                        "http://" + "x".repeat(64) + ":1", EtcdAccess.NONE)))
                .contains("the host name is unknown")
                .doesNotContain("null");
    }

    @Test
    @DisplayName("The member is found at its second URL, if the first one leads to another member")
    void findsAMemberAtItsSecondUrl() {
        setMembers(
                FakeEtcd.member(1, given.url()),
                FakeEtcd.member(2, given.url(), found.url()),
                FakeEtcd.member(3, "http://127.0.0.1:1"));
        assertThat(driver().findOtherEndpoints())
                .containsExactly(found.url(), "http://127.0.0.1:1");
    }

    @Test
    @DisplayName("H14: requests use no proxy of the environment")
    void usesNoProxy() {
        List<URI> proxied = new CopyOnWriteArrayList<>();
        ProxySelector before = ProxySelector.getDefault();
        ProxySelector.setDefault(notingSelector(proxied));
        try {
            assertThat(healthyVoters(driver())).containsExactly("m1", "m2");
        } finally {
            ProxySelector.setDefault(before);
        }
        assertThat(proxied).isEmpty();
    }

    private static ProxySelector notingSelector(List<URI> proxied) {
        return new ProxySelector() {
            @Override
            public List<Proxy> select(URI uri) {
                proxied.add(uri);
                SocketAddress nothing = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
                return List.of(new Proxy(Proxy.Type.HTTP, nothing));
            }

            @Override
            public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
        };
    }
}
