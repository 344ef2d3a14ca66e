package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import drover.gateway.store.TestPostgres;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.grpc.Address;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.rest.HttpServer;
import drover.model.NodeId;
import drover.opsagent.identity.CertificateCredential;
import drover.opsagent.identity.CertificateRenewalClient;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.identity.RenewalLoop;
import drover.opsagent.peers.CredentialConnectionTester;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.peers.TokenCredential;
import drover.opsagent.time.SystemTicker;
import drover.system.fixture.Waits;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.TrustDomain;
import io.grpc.ChannelCredentials;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * The agents' door that asks for certificates: the agent's own code dials the gateway's own door
 * over a real socket, and so does whoever has no business there.
 */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
class NodeCertificateIT {
    private static final String NODE = "berth-01";
    private static final Duration ANSWER = Waits.LIMIT;
    private static final RandomGenerator AT_HALF = () -> 0; // renews without jitter
    private static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("drover-node-token", Metadata.ASCII_STRING_MARSHALLER);

    private static TestPostgres database;

    @TempDir Path folder;

    private MtlsTestGateway testGateway;
    private final ListAppender<ILoggingEvent> refusals = new ListAppender<>();

    @BeforeAll
    static void openADatabase() {
        database = TestPostgres.open();
    }

    @BeforeEach
    void openTheGateway() throws SQLException {
        testGateway =
                MtlsTestGateway.open(
                        database.dataSource(), folder, "gateway", Duration.ofHours(24));
        refusals.start();
        log().setLevel(Level.INFO);
        log().addAppender(refusals);
    }

    @AfterEach
    void closeTheGateway() {
        log().detachAppender(refusals);
        log().setLevel(null); // as configured
        testGateway.close();
    }

    private static Logger log() {
        return (Logger) LoggerFactory.getLogger("drover.kit.tls.PeerTrustManager");
    }

    private IdentityFile enrolled() {
        var _ =
                testGateway.enroll(
                        testGateway.machine("m1"), testGateway.token(NODE, 1).getSecret());
        return MtlsTestGateway.file(testGateway.machine("m1"));
    }

    /** Empty when the gateway welcomes whoever shows this. */
    private String connect(NodeCredential credential) {
        return CredentialConnectionTester.connectAndFindProblem(
                testGateway.agentEndpoint(), credential, "1.0.0", 1, ANSWER);
    }

    /** As the agent's code would not: it looks at what it shows. */
    private NodeCredential showing(String chain, String key, Metadata headers, String itself) {
        return gateway ->
                new NodeCredential.PreparedConnection(
                        gateway.openChannel(tls(chain, key)), headers, itself);
    }

    private ChannelCredentials tls(String chain, String key) {
        try {
            return TlsChannelCredentials.newBuilder()
                    .keyManager(stream(chain), stream(key))
                    .trustManager(
                            stream(
                                    CertificateAuthority.toPem(
                                            List.of(testGateway.forGateways.certificate()))))
                    .build();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void anEnrolledAgentIsWelcomedOverTls() {
        assertThat(connect(new CertificateCredential(enrolled()))).isEmpty();
    }

    /**
     * A certificate that is wrong in one thing.
     *
     * @param why as the gateway's log says it
     */
    record Bad(
            String thing,
            boolean ours,
            List<String> uris,
            Set<TlsRole> roles,
            int hours,
            String why) {
        @Override
        public String toString() {
            return thing;
        }
    }

    static Stream<Bad> bad() {
        String node = MtlsTestGateway.DOMAIN.node(new NodeId(NODE)).toString();
        String other = MtlsTestGateway.DOMAIN.node(new NodeId("berth-02")).toString();
        String service = MtlsTestGateway.DOMAIN.service("gateway").toString();
        String foreign = new TrustDomain("other.test").node(new NodeId(NODE)).toString();
        Set<TlsRole> client = Set.of(TlsRole.CLIENT);
        return Stream.of(
                new Bad("another authority's", false, List.of(node), client, 1, "path"),
                new Bad(
                        "a service's",
                        true,
                        List.of(service),
                        client,
                        1,
                        "nodes of mesh.test, not"),
                new Bad("expired", true, List.of(node), client, -1, "validity check failed"),
                new Bad("of two names", true, List.of(node, other), client, 1, "exactly one URI"),
                new Bad("of no name", true, List.of(), client, 1, "exactly one URI"),
                new Bad("of another mesh", true, List.of(foreign), client, 1, "not spiffe://other"),
                new Bad("for servers", true, List.of(node), Set.of(TlsRole.SERVER), 1, "sage"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    @DisplayName(
            "H2 a certificate that is wrong in one thing is refused, and the log says in which")
    void aCertificateThatIsWrongInOneThingIsRefused(Bad bad) {
        var _ = enrolled(); // the node is there: it is the certificate that is wrong
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        CertificateTemplate plan =
                new CertificateTemplate(
                        NODE,
                        bad.uris(),
                        List.of(),
                        bad.roles(),
                        false,
                        MtlsTestGateway.serial(),
                        Instant.now().minus(Duration.ofHours(2)),
                        Instant.now().plus(Duration.ofHours(bad.hours())));
        CertificateAuthority signer =
                bad.ours() ? testGateway.forNodes : MtlsTestGateway.authority("nodes");

        String answer =
                connect(
                        showing(
                                CertificateAuthority.toPem(
                                        List.of(signer.issue(plan, key.publicKey()))),
                                key.pem(),
                                new Metadata(),
                                ""));

        assertThat(answer).contains("refused");
        Awaitility.await()
                .atMost(ANSWER)
                .untilAsserted(
                        () ->
                                assertThat(refusals.list)
                                        .anySatisfy(
                                                event ->
                                                        assertThat(event.getFormattedMessage())
                                                                .contains(bad.why())));
    }

    @Test
    @DisplayName("H2 a certificate of the right authority that nobody gave out is refused")
    void refusesAnUnknownCertificate() {
        var _ = enrolled();
        CertificateRequestKeyPair key = CertificateRequestKeyPair.create();
        CertificateTemplate plan =
                CertificateTemplate.ofNode(
                        MtlsTestGateway.DOMAIN.node(new NodeId(NODE)),
                        MtlsTestGateway.serial(),
                        Instant.now(),
                        Duration.ofHours(1));
        String chain =
                CertificateAuthority.toPem(
                        List.of(testGateway.forNodes.issue(plan, key.publicKey())));

        assertThat(connect(showing(chain, key.pem(), new Metadata(), "")))
                .contains("is unknown here");
    }

    @Test
    @DisplayName("H1 an agent that takes itself for another node, or shows a token, is refused")
    void anAgentThatTakesItselfForAnotherNodeIsRefused() {
        NodeKeyAndCertificate node = enrolled().read().orElseThrow();
        Metadata token = new Metadata();
        token.put(TOKEN, "whatever");

        for (int other = 2; other <= 101; other++) {
            String named = "berth-%02d".formatted(other);
            assertThat(connect(showing(node.chain(), node.key(), new Metadata(), named)))
                    .as(named)
                    .contains("This credential is node berth-01's");
        }
        assertThat(connect(showing(node.chain(), node.key(), token, ""))).contains("send no token");
    }

    @Test
    void plaintextIsRefusedHereAndAcceptedAtTheTokenEndpoint() {
        var _ = enrolled();
        assertThat(connect(new TokenCredential("t"))).isNotEmpty();
        GatewayAddress plain =
                new GatewayAddress(
                        "127.0.0.1:" + testGateway.gateway.nodeTokenAgentPort().orElseThrow());
        assertThat(
                        CredentialConnectionTester.connectAndFindProblem(
                                plain, new TokenCredential("t"), "1.0.0", 1, ANSWER))
                .contains("This token is unknown");
    }

    @Test
    void anAgentRenewsItsCertificateWithAFreshKeyAndTheNextGeneration() throws Exception {
        testGateway.close();
        testGateway = // half of a life has passed at once: it starts five minutes in the past
                MtlsTestGateway.open(
                        database.dataSource(), folder, "gateway", Duration.ofMinutes(4));
        IdentityFile file = enrolled();
        NodeKeyAndCertificate first = file.read().orElseThrow();
        Thread renewing =
                Thread.ofVirtual()
                        .start(
                                new RenewalLoop(
                                        file,
                                        List.of(testGateway.agentEndpoint()),
                                        Optional.empty(),
                                        new SystemTicker(),
                                        AT_HALF));

        Awaitility.await().atMost(ANSWER).until(() -> file.read().orElseThrow().generation() > 1);
        renewing.interrupt();
        NodeKeyAndCertificate next = file.read().orElseThrow();

        assertThat(next.node()).isEqualTo(NODE);
        assertThat(next.key()).isNotEqualTo(first.key());
        assertThat(connect(new CertificateCredential(file))).isEmpty();
    }

    @Test
    void repeatedRenewalReturnsTheSameCertificate() throws IOException {
        IdentityFile file = enrolled();
        assertThatThrownBy(
                        () ->
                                new CertificateRenewalClient(file)
                                        .renewAt(new GatewayAddress("127.0.0.1:1")))
                .isInstanceOf(IllegalStateException.class); // its key is on the disk from now on
        IdentityFile twin = copied("as-if-the-reply-was-lost");

        NodeKeyAndCertificate next =
                new CertificateRenewalClient(file).renewAt(testGateway.agentEndpoint());

        assertThat(next.generation()).isEqualTo(2);
        assertThat(new CertificateRenewalClient(twin).renewAt(testGateway.agentEndpoint()))
                .isEqualTo(next);
    }

    @Test
    @DisplayName(
            "A gateway whose chain lost its authority says what to do, to operators and agents")
    void reportsAChainWithoutItsCa() throws IOException {
        IdentityFile file = enrolled();
        Path chain = testGateway.own("chain.pem");
        String whole = Files.readString(chain);
        String end = "-----END CERTIFICATE-----";

        Files.writeString(chain, whole.substring(0, whole.indexOf(end) + end.length()) + "\n");

        Awaitility.await()
                .atMost(ANSWER)
                .untilAsserted(
                        () ->
                                assertThat(testGateway.gateway.notices())
                                        .singleElement()
                                        .asString()
                                        .contains("chain.pem of --tls must end with"));
        assertReadyWith("chain.pem of --tls must end with");
        assertThatThrownBy(
                        () ->
                                new CertificateRenewalClient(file)
                                        .renewAt(testGateway.agentEndpoint()))
                .hasMessageContaining("append that to the file");

        Files.writeString(chain, whole);
        Awaitility.await().atMost(ANSWER).until(() -> testGateway.gateway.notices().isEmpty());
        assertThat(
                        new CertificateRenewalClient(file)
                                .renewAt(testGateway.agentEndpoint())
                                .generation())
                .isEqualTo(2);
    }

    @Test
    @DisplayName("H4 where enrolled nodes would be refused, a machine keeps its token")
    void reportsTrustWithoutTheCaOfNodes() throws IOException {
        Path trust = testGateway.own("trust.pem");
        String before = Files.readString(trust);
        String token = testGateway.token(NODE, 1).getSecret();

        Files.writeString(
                trust,
                CertificateAuthority.toPem(
                        List.of(MtlsTestGateway.authority("other").certificate())));

        Awaitility.await()
                .atMost(ANSWER)
                .untilAsserted(
                        () ->
                                assertThat(testGateway.gateway.notices())
                                        .singleElement()
                                        .asString()
                                        .contains("trust.pem of --tls must hold"));
        assertReadyWith("trust.pem of --tls must hold");
        assertThatThrownBy(() -> testGateway.enroll(testGateway.machine("m1"), token))
                .hasMessageContaining("enrolled nodes are refused");

        Files.writeString(trust, before);
        Awaitility.await().atMost(ANSWER).until(() -> testGateway.gateway.notices().isEmpty());
        assertThat(testGateway.enroll(testGateway.machine("m2"), token).node()).isEqualTo(NODE);
    }

    @Test
    @DisplayName("A gateway whose new files are not good serves on, and says so once")
    void newFilesThatAreNotGoodAreNoReasonToSendNodesElsewhere() throws IOException {
        Files.writeString(testGateway.own("chain.pem"), "half of a change");

        Awaitility.await().atMost(ANSWER).until(() -> !testGateway.identity.problem().isEmpty());

        assertReadyWith("are not good, and the old certificate stays in use");
    }

    /** As the process of its own shows it: no gateway is taken out of balancing that serves. */
    private void assertReadyWith(String notice) throws IOException {
        CertificateExpiryMonitor watch =
                new CertificateExpiryMonitor(InstantSource.system())
                        .add("agents", Optional.of(testGateway.identity));
        HttpServer.Builder plan =
                HttpServer.builder()
                        .readyWhen(
                                watch.problemsInAdditionTo(testGateway.gateway::problems),
                                watch.noticesInAdditionTo(testGateway.gateway::notices));
        try (HttpServer host = plan.listen(new Address.Tcp("127.0.0.1", 0));
                HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> ready =
                    client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:" + host.port() + "/readyz"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(ready.body()).containsOnlyOnce(notice);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aCertificateWhoseSuccessorWasNeverShownIsStillGood() throws IOException {
        IdentityFile file = enrolled();
        IdentityFile twin = copied("as-if-the-reply-was-lost");
        var _ = new CertificateRenewalClient(file).renewAt(testGateway.agentEndpoint());

        assertThat(connect(new CertificateCredential(twin))).isEmpty();
    }

    /** The machine's identity, at another place. */
    private IdentityFile copied(String place) throws IOException {
        Path twin = Files.createDirectories(testGateway.machine(place));
        try (Stream<Path> files = Files.list(testGateway.machine("m1"))) {
            for (Path each : files.toList()) {
                Files.copy(each, twin.resolve(each.getFileName()));
            }
        }
        return MtlsTestGateway.file(twin);
    }

    @Test
    @DisplayName("SECURITY 4: a copied identity locks the node, whichever of the two dials")
    void aCopiedIdentityLocksTheNode() throws Exception {
        IdentityFile file = enrolled();
        NodeCredential original = new CertificateCredential(file);
        NodeCredential copy = new CertificateCredential(copied("copy"));
        var _ = new CertificateRenewalClient(file).renewAt(testGateway.agentEndpoint());
        assertThat(connect(original)).isEmpty(); // from now on the new one is shown
        assertThat(connect(copy)).contains("has a newer certificate");

        database.run("UPDATE gateway.node SET shown_since = now() - interval '2 minutes'");
        assertThat(connect(copy)).contains("is locked");
        assertThat(connect(original)).contains("is locked");

        var _ =
                testGateway.enroll(
                        testGateway.machine("m2"), testGateway.token(NODE, 1).getSecret());
        assertThat(
                        connect(
                                new CertificateCredential(
                                        MtlsTestGateway.file(testGateway.machine("m2")))))
                .isEmpty();
        assertThat(connect(copy)).contains("was ended");
    }
}
