package drover.kit.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import drover.kit.Waits;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateTemplate;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.rest.HttpServer;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.trust.identity.PeerRule.TlsRole;
import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** A door over a real socket that admits nodes, and everybody who tries to get in. */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test gets its directory first
final class MutualTlsIT {
    private static final Duration NEVER = Duration.ofHours(1); // a test looks by itself
    private static final Duration LONG_AGO = Duration.ofDays(30);

    @TempDir Path directory;

    private final List<Peer> admitted = new ArrayList<>();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    private TestPki deployment;
    private ReloadingIdentity gateway;
    private GrpcServer endpoint;

    /** Remembers who came in. */
    private final class RecordingService extends RolloutServiceGrpc.RolloutServiceImplBase {
        @Override
        public void listRollouts(
                ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> answer) {
            admitted.add(Peer.current().orElseThrow());
            answer.onNext(ListRolloutsResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    @BeforeEach
    void startServer() {
        deployment = new TestPki(directory);
        gateway = identity(deployment.write("gateway", TestPki.service("gateway", 100)));
        endpoint = serve(gateway);
    }

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private ReloadingIdentity identity(TlsFiles files) {
        ReloadingIdentity identity = ReloadingIdentity.open(files, NEVER);
        open.push(identity);
        return identity;
    }

    private GrpcServer serve(ReloadingIdentity identity) {
        GrpcServer host =
                GrpcServer.builder()
                        .addService(new RecordingService())
                        .credentials(TlsCredentials.serverCredentials(identity, TestPki.NODES))
                        .listen(Address.parse("127.0.0.1:0"));
        open.push(host);
        return host;
    }

    private ManagedChannel connect(int port, ChannelCredentials credentials) {
        ManagedChannel channel = Channels.open(new Address.Tcp("127.0.0.1", port), credentials);
        open.push(channel::shutdownNow);
        return channel;
    }

    private ManagedChannel connect(ReloadingIdentity identity) {
        return connect(
                endpoint.port(), TlsCredentials.channelCredentials(identity, TestPki.GATEWAYS));
    }

    private static void call(ManagedChannel channel) {
        var _ =
                RolloutServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .listRollouts(ListRolloutsRequest.getDefaultInstance());
    }

    private void assertRefused(ManagedChannel channel) {
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> call(channel));
        assertThat(refused).isNotNull();
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(admitted).isEmpty();
    }

    @Test
    @DisplayName("H1 a node is who its certificate says")
    void certificateIdentifiesTheNode() {
        call(connect(identity(deployment.write("node", TestPki.node(7)))));

        Peer peer = admitted.getFirst();
        assertThat(peer.id()).hasToString("spiffe://mesh.test/node/berth-01");
        assertThat(peer.serial()).isEqualTo(BigInteger.valueOf(7));
        assertThat(peer.notAfter()).isAfter(Instant.now());
    }

    @Test
    @DisplayName("H2 whoever dials a plain door with a certificate is told so, and says nothing")
    void connectionToAPlainEndpointFailsAndIsLogged() {
        Logger logger = (Logger) LoggerFactory.getLogger(HandshakeFailureLog.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = new CopyOnWriteArrayList<>(); // read while others write
        lines.start();
        logger.addAppender(lines);
        open.push(() -> logger.detachAppender(lines));
        GrpcServer plain =
                GrpcServer.builder()
                        .addService(new RecordingService())
                        .listen(Address.parse("127.0.0.1:0"));
        open.push(plain);

        ReloadingIdentity node = identity(deployment.write("node", TestPki.node(7)));
        assertRefused(
                connect(plain.port(), TlsCredentials.channelCredentials(node, TestPki.GATEWAYS)));

        await().atMost(Waits.LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(lines.list)
                                        .extracting(ILoggingEvent::getFormattedMessage)
                                        .anySatisfy(
                                                line ->
                                                        assertThat(line)
                                                                .contains(
                                                                        "/127.0.0.1:"
                                                                                + plain.port(),
                                                                        "The door spoke no TLS")));
    }

    static Stream<BadCertificate> badCertificates() {
        CertificateTemplate good = TestPki.node(1);
        Instant now = Instant.now();
        List<String> uris = good.uris();
        Instant until = good.notAfter();
        Set<TlsRole> client = Set.of(TlsRole.CLIENT);
        return Stream.of(
                bad("expired", uris, client, false, now.minus(LONG_AGO), now.minusSeconds(60)),
                bad("not yet valid", uris, client, false, now.plusSeconds(600), until),
                bad("an authority's", uris, client, true, now, until),
                bad("a server's", uris, Set.of(TlsRole.SERVER), false, now, until),
                bad("for nothing", uris, Set.of(), false, now, until),
                bad("nobody's", List.of(), client, false, now, until),
                bad(
                        "two nodes'",
                        List.of(uris.getFirst(), "spiffe://mesh.test/node/berth-02"),
                        client,
                        false,
                        now,
                        until),
                named("of another mesh", "spiffe://other.test/node/berth-01"),
                named("a service's", "spiffe://mesh.test/svc/coordinator"),
                named("no node id", "spiffe://mesh.test/node/Berth_01"),
                named("below a node", "spiffe://mesh.test/node/berth-01/extra"),
                named("with a way up", "spiffe://mesh.test/node/../svc/gateway"),
                named("of another scheme", "https://mesh.test/node/berth-01"));
    }

    /** A certificate that the right authority signed, and that is wrong all the same. */
    record BadCertificate(String what, CertificateTemplate plan) {
        @Override
        public String toString() {
            return what;
        }
    }

    private static BadCertificate named(String what, String uri) {
        Instant now = Instant.now();
        return bad(what, List.of(uri), Set.of(TlsRole.CLIENT), false, now, now.plus(TestPki.DAY));
    }

    private static BadCertificate bad(
            String what,
            List<String> uris,
            Set<TlsRole> roles,
            boolean authority,
            Instant from,
            Instant until) {
        return new BadCertificate(
                what,
                new CertificateTemplate(
                        "bad", uris, List.of(), roles, authority, BigInteger.TWO, from, until));
    }

    @ParameterizedTest
    @MethodSource("badCertificates")
    @DisplayName("H2 a certificate that is wrong in one thing is refused")
    void aCertificateThatIsWrongInOneThingIsRefused(BadCertificate bad) {
        assertRefused(connect(identity(deployment.write("bad", bad.plan()))));
    }

    @Test
    @DisplayName("H2 a certificate of a foreign authority is refused")
    void aCertificateOfAForeignAuthorityIsRefused() {
        CertificateAuthority foreign = TestPki.newAuthority("mesh"); // even of the same name
        assertRefused(
                connect(
                        identity(
                                deployment.write(
                                        "f", TestPki.node(1), foreign, deployment.authority))));
    }

    @Test
    @DisplayName("H2 whoever shows no certificate is refused")
    void callWithoutACertificateIsRefused() throws IOException {
        Path trust = deployment.write("anybody", TestPki.node(1)).trust();
        assertRefused(
                connect(
                        endpoint.port(),
                        TlsChannelCredentials.newBuilder().trustManager(trust.toFile()).build()));
    }

    @Test
    void plaintextCallIsRefused() {
        ManagedChannel plain = Channels.open(new Address.Tcp("127.0.0.1", endpoint.port()));
        open.push(plain::shutdownNow);
        assertRefused(plain);
    }

    @Test
    void noOlderProtocolIsSpoken() throws Exception {
        SSLContext node = jdkContext(identity(deployment.write("node", TestPki.node(1))));

        assertThat(protocolSpoken(node, "TLSv1.3")).isEqualTo("TLSv1.3");
        assertThatThrownBy(() -> protocolSpoken(node, "TLSv1.2"))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("protocol_version");
    }

    private static SSLContext jdkContext(ReloadingIdentity identity) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                new KeyManager[] {new ReloadingKeyManager(identity)},
                new TrustManager[] {new PeerTrustManager(identity, TestPki.GATEWAYS)},
                null);
        return context;
    }

    private String protocolSpoken(SSLContext context, String protocol) throws IOException {
        try (SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(InetAddress.getLoopbackAddress(), endpoint.port())) {
            socket.setSoTimeout((int) Waits.LIMIT.toMillis());
            socket.setEnabledProtocols(new String[] {protocol});
            socket.startHandshake();
            return socket.getSession().getProtocol();
        }
    }

    @Test
    void refusesAnEndpointOfAnotherService() {
        ReloadingIdentity node = identity(deployment.write("node", TestPki.node(1)));
        ReloadingIdentity other =
                identity(deployment.write("other", TestPki.service("manifest", 1)));
        assertRefused(
                connect(
                        serve(other).port(),
                        TlsCredentials.channelCredentials(node, TestPki.GATEWAYS)));
    }

    @Test
    void anEndpointWithACertificateForAnotherHostIsRefused() {
        ReloadingIdentity node = identity(deployment.write("node", TestPki.node(1)));
        ReloadingIdentity elsewhere =
                identity(
                        deployment.write(
                                "elsewhere",
                                CertificateTemplate.ofService(
                                        TestPki.DOMAIN.service("gateway"),
                                        List.of("127.0.0.2", "gateway.test"),
                                        BigInteger.ONE,
                                        Instant.now(),
                                        TestPki.DAY)));
        assertRefused(
                connect(
                        serve(elsewhere).port(),
                        TlsCredentials.channelCredentials(node, TestPki.GATEWAYS)));
    }

    @Test
    void anEndpointOfAForeignAuthorityIsRefused() {
        ReloadingIdentity node = identity(deployment.write("node", TestPki.node(1)));
        CertificateAuthority foreign = TestPki.newAuthority("mesh");
        ReloadingIdentity forged =
                identity(
                        deployment.write(
                                "forged",
                                TestPki.service("gateway", 1),
                                foreign,
                                deployment.authority));
        assertRefused(
                connect(
                        serve(forged).port(),
                        TlsCredentials.channelCredentials(node, TestPki.GATEWAYS)));
    }

    @Test
    void aNewCertificateIsShownAtTheNextConnectionAndOldStreamsStay() throws Exception {
        ReloadingIdentity node = identity(deployment.write("node", TestPki.node(7)));
        ManagedChannel old = connect(node);
        call(old);
        BlockingQueue<HealthCheckResponse.ServingStatus> received = watch(old);
        assertThat(received.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isNotNull();

        deployment.write("node", TestPki.node(8));
        node.reload();
        call(old);
        call(connect(node));

        assertThat(admitted.stream().map(peer -> peer.serial().intValue()))
                .containsExactly(7, 7, 8);
        endpoint.setReady(false); // the old stream still hears
        assertThat(received.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo(HealthCheckResponse.ServingStatus.NOT_SERVING);
    }

    @Test
    void anEndpointShowsItsNewCertificateAndTrustsItsNewAuthoritiesAtTheNextConnection()
            throws Exception {
        ReloadingIdentity node = identity(deployment.write("node", TestPki.node(7)));
        ManagedChannel old = connect(node);
        call(old);
        BlockingQueue<HealthCheckResponse.ServingStatus> received = watch(old);
        assertThat(received.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        admitted.clear();

        CertificateAuthority next = TestPki.newAuthority("next");
        deployment.write("gateway", TestPki.service("gateway", 101), deployment.authority, next);
        gateway.reload();

        assertRefused(connect(node));
        ReloadingIdentity renewed =
                identity(deployment.write("renewed", TestPki.node(9), next, deployment.authority));
        call(connect(renewed));
        assertThat(admitted).hasSize(1);
        endpoint.setReady(false);
        assertThat(received.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo(HealthCheckResponse.ServingStatus.NOT_SERVING);
    }

    /** The health of the door, as a stream that lasts. */
    private static BlockingQueue<HealthCheckResponse.ServingStatus> watch(ManagedChannel channel) {
        BlockingQueue<HealthCheckResponse.ServingStatus> received = new LinkedBlockingQueue<>();
        HealthGrpc.newStub(channel)
                .watch(
                        HealthCheckRequest.getDefaultInstance(),
                        new StreamObserver<>() {
                            @Override
                            public void onNext(HealthCheckResponse answer) {
                                received.add(answer.getStatus());
                            }

                            @Override
                            public void onError(Throwable failure) {
                                received.add(HealthCheckResponse.ServingStatus.UNRECOGNIZED);
                            }

                            @Override
                            public void onCompleted() {
                                received.add(HealthCheckResponse.ServingStatus.UNRECOGNIZED);
                            }
                        });
        return received;
    }

    @Test
    @DisplayName("H14 a key that others may read is refused")
    void aKeyThatOthersMayReadIsRefused() throws IOException {
        TlsFiles files = deployment.write("node", TestPki.node(7));
        ReloadingIdentity before = identity(files);
        Files.setPosixFilePermissions(files.key(), PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> ReloadingIdentity.open(files, Duration.ofHours(1)))
                .isInstanceOf(InvalidTlsFiles.class)
                .hasMessageContaining("can be read by others: run chmod 600");
        before.reload();
        assertThat(before.problem()).contains("can be read by others");
        call(connect(before)); // what was read before goes on being used
    }

    @Test
    void filesThatDoNotFitTogetherChangeNothing() throws IOException {
        TlsFiles files = deployment.write("node", TestPki.node(7));
        ReloadingIdentity node = identity(files);
        TlsFiles next = deployment.write("next", TestPki.node(8));

        Files.copy(
                next.key(),
                files.key(),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING,
                java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        node.reload();
        assertThat(node.problem()).contains("key is not that of the chain");
        call(connect(node));
        Files.copy(next.chain(), files.chain(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        node.reload();
        assertThat(node.problem()).isEmpty();
        call(connect(node));

        assertThat(admitted.stream().map(peer -> peer.serial().intValue())).containsExactly(7, 8);
    }

    @Test
    void detectsChangedFiles() {
        ReloadingIdentity node =
                ReloadingIdentity.open(
                        deployment.write("node", TestPki.node(7)), Duration.ofMillis(20));
        open.push(node);
        deployment.write("node", TestPki.node(8));
        await().atMost(Waits.LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(node.material().leaf().getSerialNumber())
                                        .isEqualTo(BigInteger.valueOf(8)));
    }

    @Test
    void aWebEndpointSpeaksTheSameProtocolAlone() throws Exception {
        HttpServer web =
                HttpServer.builder()
                        .tls(TlsCredentials.httpsContext(gateway))
                        .listen(new Address.Tcp("127.0.0.1", 0));
        open.push(web);
        SSLContext anybody = jdkContext(gateway);

        assertThat(get(anybody, web.port(), "TLSv1.3").statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> get(anybody, web.port(), "TLSv1.2"))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aWebEndpointResolvesNoNameOfItsCaller() throws Exception {
        HttpServer web =
                HttpServer.builder()
                        .tls(TlsCredentials.httpsContext(gateway))
                        .listen(new Address.Tcp("127.0.0.1", 0));
        open.push(web);
        InetAddress caller = InetAddress.getByName("127.0.0.9");
        try (HttpClient client =
                HttpClient.newBuilder()
                        .sslContext(jdkContext(gateway))
                        .localAddress(caller)
                        .build()) {
            assertThat(client.send(liveRequest(web.port()), BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
        assertThat(NameLookupRecorder.addresses()).doesNotContain(caller);
        assertThat(caller.getHostName()).isNotEmpty();
        assertThat(NameLookupRecorder.addresses()).contains(caller);
    }

    private static HttpRequest liveRequest(int port) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + "/livez"))
                .timeout(Waits.LIMIT)
                .build();
    }

    private static HttpResponse<String> get(SSLContext context, int port, String protocol)
            throws Exception {
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(new String[] {protocol});
        try (HttpClient client =
                HttpClient.newBuilder().sslContext(context).sslParameters(parameters).build()) {
            return client.send(liveRequest(port), BodyHandlers.ofString());
        }
    }
}
