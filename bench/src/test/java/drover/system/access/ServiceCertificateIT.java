package drover.system.access;

import static drover.system.access.MtlsDeployment.DOMAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.cli.DroverCli;
import drover.coordinator.Waits;
import drover.coordinator.store.check.ObservationChecker.ClientResponse;
import drover.kit.grpc.Address;
import drover.kit.grpc.RefusalParser;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.JoinTokenDirectoryServiceGrpc;
import drover.node.v1.ListDirectoryJoinTokensRequest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Strategy;
import drover.system.failover.ConsistencyCheck;
import drover.system.failover.PresentedCertificateProbe;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The four services as programs that prove themselves to each other, and everybody who tries to get
 * between them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
@SuppressWarnings("NullAway.Init") // the mesh is there before any test
class ServiceCertificateIT {
    private static final Duration SOON = Waits.LIMIT;
    private static final List<ServiceName> ENDPOINTS =
            List.of(ServiceName.MANIFEST, ServiceName.HEALTH, ServiceName.GATEWAY);

    private static final Set<ServiceName> PROGRAMS =
            EnumSet.complementOf(EnumSet.of(ServiceName.PREPARE));

    private MtlsDeployment deployment;
    private Path folder;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        folder = directory;
        deployment = new MtlsDeployment(directory);
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    /** Somebody at a door, and what the door's log says of it. */
    record Stranger(ServiceName service, String who, ChannelCredentials shown, String error) {
        @Override
        public String toString() {
            return who + " at the door of the " + service;
        }
    }

    Stream<Stranger> strangers() {
        return ENDPOINTS.stream()
                .flatMap(
                        service ->
                                Stream.of(
                                        ofAnotherAuthority(service),
                                        ofAnotherDeployment(service),
                                        aNode(service),
                                        aServiceWithoutThatEdge(service),
                                        withoutACertificate(service),
                                        plain(service),
                                        ofYesterday(service)));
    }

    private Stranger ofAnotherAuthority(ServiceName service) {
        return new Stranger(
                service,
                "a coordinator of another authority",
                MtlsDeployment.with(
                        deployment.issue(
                                "stranger",
                                DOMAIN.service(ServiceName.COORDINATOR),
                                MtlsDeployment.authority("others")),
                        service),
                "unable to find valid certification path");
    }

    private Stranger ofAnotherDeployment(ServiceName service) {
        return new Stranger(
                service,
                "a coordinator of another mesh",
                MtlsDeployment.with(
                        deployment.issue(
                                "other-mesh",
                                new TrustDomain("other.test").service(ServiceName.COORDINATOR),
                                deployment.authority),
                        service),
                "not spiffe://other.test/svc/coordinator");
    }

    private Stranger aNode(ServiceName service) {
        return new Stranger(
                service,
                "a node",
                MtlsDeployment.with(
                        deployment.issue(
                                "node", DOMAIN.node(new NodeId("berth-01")), deployment.authority),
                        service),
                "not spiffe://mesh.test/node/berth-01");
    }

    private Stranger aServiceWithoutThatEdge(ServiceName service) {
        ServiceName none =
                service == ServiceName.GATEWAY ? ServiceName.MANIFEST : ServiceName.GATEWAY;
        return new Stranger(
                service,
                "the " + none,
                deployment.as(none, service),
                "not spiffe://mesh.test/svc/" + none);
    }

    private Stranger withoutACertificate(ServiceName service) {
        return new Stranger(
                service,
                "somebody without a certificate",
                deployment.operatorsCredentials(),
                "The caller showed no certificate.");
    }

    private static Stranger plain(ServiceName service) {
        return new Stranger(
                service,
                "a plain client",
                InsecureChannelCredentials.create(),
                "The caller spoke no TLS:");
    }

    private Stranger ofYesterday(ServiceName service) {
        var files =
                deployment.issue(
                        "old", DOMAIN.service(ServiceName.COORDINATOR), deployment.authority);
        try {
            return new Stranger(
                    service,
                    "a coordinator that speaks TLS 1.2",
                    NettySslContextChannelCredentials.create(
                            GrpcSslContexts.configure(SslContextBuilder.forClient())
                                    .keyManager(files.chain().toFile(), files.key().toFile())
                                    .trustManager(files.trust().toFile())
                                    .protocols("TLSv1.2")
                                    .build()),
                    "The caller spoke no TLS 1.3");
        } catch (SSLException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("strangers")
    @DisplayName("H2 H5 whoever has no business at a service's door is refused in the handshake")
    void unknownServiceIsRefusedAndLogged(Stranger stranger) {
        int before = deployment.log(stranger.service()).length();
        assertThat(greeted(stranger.service(), stranger.shown()))
                .isEqualTo(Status.Code.UNAVAILABLE);
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(deployment.log(stranger.service()).substring(before))
                                        .contains(stranger.error()));
    }

    @Test
    void permittedServiceIsAdmitted() {
        for (ServiceName service : ENDPOINTS) {
            assertThat(greeted(service, deployment.as(ServiceName.COORDINATOR, service)))
                    .as(service.toString())
                    .isEqualTo(Status.Code.OK);
        }
    }

    @Test
    @DisplayName("H5 who is let in is held to its own edges")
    void aServiceMayNotCallWhatIsNoneOfItsEdges() {
        ManagedChannel channel =
                deployment.channel(
                        ServiceName.GATEWAY,
                        deployment.as(ServiceName.HEALTH, ServiceName.GATEWAY));
        try {
            StatusRuntimeException refused =
                    catchThrowableOfType(
                            StatusRuntimeException.class,
                            () ->
                                    JoinTokenDirectoryServiceGrpc.newBlockingStub(channel)
                                            .withDeadlineAfter(SOON.toSeconds(), TimeUnit.SECONDS)
                                            .listDirectoryJoinTokens(
                                                    ListDirectoryJoinTokensRequest
                                                            .getDefaultInstance()));
            assertThat(RefusalParser.from(refused))
                    .hasValueSatisfying(
                            it -> {
                                assertThat(it.code())
                                        .isEqualTo(RefusalCode.SERVICE_CALL_NOT_ALLOWED);
                                assertThat(it.sentence())
                                        .isEqualTo(
                                                "spiffe://mesh.test/svc/health may not call"
                                                        + " drover.node.v1.JoinTokenDirectoryService/ListDirectoryJoinTokens"
                                                        + " of the gateway.");
                            });
        } finally {
            channel.shutdownNow();
        }
        assertThat(deployment.log(ServiceName.GATEWAY))
                .contains("A call that is no edge was refused");
    }

    @Test
    @DisplayName("H2 a rollout ends well over proven edges, and again with certificates replaced")
    void aRolloutCompletesAndAgainAfterCertificatesWereReplaced() throws IOException {
        Map<String, BenchRelease> targets = new LinkedHashMap<>();
        targets.put(rollout(BenchRelease.V1), BenchRelease.V2);
        List<BigInteger> before = PROGRAMS.stream().map(this::shown).toList();
        PROGRAMS.forEach(
                service ->
                        deployment.issue(
                                service.wireName(), DOMAIN.service(service), deployment.authority));
        deployment.issue(
                "operators", DOMAIN.service(ServiceName.COORDINATOR), deployment.authority);
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(PROGRAMS.stream().map(this::shown))
                                        .doesNotContainAnyElementsOf(before));
        targets.put(rollout(BenchRelease.V2), BenchRelease.V1);
        assertThat(deployment.allAlive()).as("nothing was restarted").isTrue();
        new ConsistencyCheck(
                        deployment,
                        new CreatedRollouts(List.copyOf(targets.keySet())),
                        MtlsDeployment.NODES)
                .assertSound(targets);
    }

    /** Somebody who was told of these rollouts, and of nothing that became of them. */
    private record CreatedRollouts(List<String> created) implements ConsistencyCheck.Answered {
        @Override
        public List<ClientResponse> answers(String rollout) {
            return List.of();
        }
    }

    private String rollout(BenchRelease from) {
        String id =
                deployment
                        .operator()
                        .create(
                                from,
                                CreateRolloutRequest.newBuilder()
                                        .setStrategy(Strategy.STRATEGY_ROLLING)
                                        .setBatchSize(MtlsDeployment.NODES)
                                        .build());
        assertThat(deployment.operator().runToCompletion(id).succeeded())
                .isEqualTo(MtlsDeployment.NODES);
        return id;
    }

    /** The serial of the certificate that a door shows to whoever dials now. */
    private BigInteger shown(ServiceName service) {
        return PresentedCertificateProbe.serial(
                deployment.trusting(), (Address.Tcp) Address.parse(deployment.endpoint(service)));
    }

    @Test
    void whatEndsAndWhenIsShownAtEachService() throws Exception {
        for (ServiceName service : PROGRAMS) {
            assertThat(get(HttpClient.newHttpClient(), deployment.metrics(service) + "/metrics"))
                    .as(service.toString())
                    .contains("drover_certificate_end_timestamp_seconds{door=\"services\"}");
            assertThat(get(HttpClient.newHttpClient(), deployment.metrics(service) + "/readyz"))
                    .isEqualTo("{\"status\":\"ready\"}");
        }
    }

    @Test
    void operatorsSeeACertificateAndShowNone() throws Exception {
        Path ca = Files.writeString(folder.resolve("ca.pem"), deployment.trust());
        String endpoint = deployment.endpoint(ServiceName.COORDINATOR);

        assertThat(typed("--server", endpoint, "--ca", ca.toString()))
                .contains("NODE")
                .contains("bench");
        assertThat(typed("--server", "https://" + endpoint, "--ca", ca.toString()))
                .contains("bench");
        assertThat(typed("--server", endpoint)).contains("No Drover answers at " + endpoint);
        assertThat(typed("--server", "https://" + endpoint)).contains("does not prove that it is");

        HttpClient trusting = HttpClient.newBuilder().sslContext(deployment.trusting()).build();
        assertThat(get(trusting, deployment.rest() + "/api/v1/nodes")).contains("\"nodes\"");
        SSLParameters old = new SSLParameters();
        old.setProtocols(new String[] {"TLSv1.2"});
        HttpClient yesterday =
                HttpClient.newBuilder()
                        .sslContext(deployment.trusting())
                        .sslParameters(old)
                        .build();
        assertThatThrownBy(() -> get(yesterday, deployment.rest() + "/livez"))
                .isInstanceOf(SSLException.class);
    }

    /** What {@code node list} says, here or there. */
    private static String typed(String... options) {
        StringWriter reported = new StringWriter();
        PrintWriter out = new PrintWriter(reported);
        String[] words = Arrays.copyOf(new String[] {"node", "list"}, 2 + options.length);
        System.arraycopy(options, 0, words, 2, options.length);
        int _ = DroverCli.run(words, out, out);
        out.flush();
        return reported.toString();
    }

    private static String get(HttpClient client, String address) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create(address)).timeout(SOON).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private Status.Code greeted(ServiceName service, ChannelCredentials shown) {
        ManagedChannel channel = deployment.channel(service, shown);
        try {
            var _ =
                    HealthGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(SOON.toSeconds(), TimeUnit.SECONDS)
                            .check(HealthCheckRequest.getDefaultInstance());
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        } finally {
            channel.shutdownNow();
        }
    }
}
