package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import drover.access.v1.JoinToken;
import drover.agent.v1.EnrollRequest;
import drover.agent.v1.EnrollmentServiceGrpc;
import drover.gateway.store.TestPostgres;
import drover.kit.ca.CertificateAuthority;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.node.v1.CreateDirectoryJoinTokenResponse;
import drover.node.v1.ListDirectoryJoinTokensRequest;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.RevokeDirectoryJoinTokenRequest;
import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.main.OpsAgentMain;
import drover.opsagent.peers.GatewayAddress;
import drover.system.fixture.Waits;
import drover.trust.identity.CertificateRequestKeyPair;
import drover.trust.identity.PeerRule;
import drover.trust.identity.PeerRule.TlsRole;
import drover.trust.identity.SpkiPin;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How a machine becomes a node: the agent's own code dials the gateway's own door over a real
 * socket. Gateways and nodes have authorities of their own, as in a mesh that takes care.
 */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
class EnrollmentIT {
    private static TestPostgres database;

    @TempDir Path folder;

    @AutoClose private MtlsTestGateway testGateway;

    @BeforeAll
    static void openADatabase() {
        database = TestPostgres.open();
    }

    @BeforeEach
    void openTheGateway() throws SQLException {
        testGateway = open("gateway");
    }

    private MtlsTestGateway open(String service) throws SQLException {
        return MtlsTestGateway.open(database.dataSource(), folder, service, Duration.ofHours(24));
    }

    private Path machine(String name) {
        return testGateway.machine(name);
    }

    private void assertRefused(Path machine, String token, String why) {
        assertThatThrownBy(() -> testGateway.enroll(machine, token))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(why);
        assertThat(MtlsTestGateway.file(machine).read()).isEmpty();
    }

    private List<String> nodes() {
        return testGateway
                .directory()
                .listDirectory(ListDirectoryRequest.getDefaultInstance())
                .getNodesList()
                .stream()
                .map(
                        node ->
                                node.getId()
                                        + " "
                                        + node.getChainProfileId()
                                        + " "
                                        + node.getLabelsMap())
                .toList();
    }

    @Test
    void aMachineBecomesTheNodeThatItsTokenNames() throws Exception {
        NodeKeyAndCertificate node =
                testGateway.enroll(machine("m1"), testGateway.token("berth-01", 1).getSecret());

        X509Certificate leaf = node.toTlsMaterial().leaf();
        leaf.verify(testGateway.forNodes.certificate().getPublicKey());
        assertThat(PeerRule.ofNodes(MtlsTestGateway.DOMAIN).requireAdmitted(leaf, TlsRole.CLIENT))
                .hasToString("spiffe://mesh.test/node/berth-01");
        assertThat(Duration.between(Instant.now(), node.expiresAt()))
                .isBetween(Duration.ofHours(23), Duration.ofHours(24));
        assertThat(node.toTlsMaterial().authorities())
                .containsExactly(testGateway.forGateways.certificate());
        assertThat(nodes()).containsExactly("berth-01 harbour {zone=a}");
        assertThat(MtlsTestGateway.file(machine("m1")).read()).contains(node);
    }

    @Test
    @DisplayName("H14 the key is the agent's alone, on the disk and nowhere else")
    void theKeyIsTheAgentsAlone() throws IOException {
        var _ = testGateway.enroll(machine("m1"), testGateway.token("berth-01", 1).getSecret());

        try (Stream<Path> files = Files.list(machine("m1"))) {
            assertThat(files.toList())
                    .singleElement()
                    .satisfies(
                            file ->
                                    assertThat(
                                                    PosixFilePermissions.toString(
                                                            Files.getPosixFilePermissions(file)))
                                            .isEqualTo("rw-------"));
        }
    }

    @Test
    @DisplayName("H4 a lost reply is asked for again, with the same key, and counts once")
    void requestsALostReplyAgain() throws IOException {
        Path machine = machine("m1");
        String token = testGateway.token("berth-01", 1).getSecret();
        assertThatThrownBy(
                        () ->
                                new EnrolledIdentityCreator(MtlsTestGateway.file(machine))
                                        .enrollAt(
                                                drover.trust.identity.JoinToken.parse(token),
                                                new GatewayAddress("127.0.0.1:1")))
                .isInstanceOf(IllegalStateException.class); // its key is on the disk from now on
        Path twin = Files.createDirectories(machine("as-if-the-reply-was-lost"));
        Files.copy(
                machine.resolve("identity-asked-for.json"),
                twin.resolve("identity-asked-for.json"));

        NodeKeyAndCertificate first = testGateway.enroll(machine, token);
        NodeKeyAndCertificate again = testGateway.enroll(twin, token);

        assertThat(again).isEqualTo(first);
        assertThat(listed().getUses()).isEqualTo(1);
    }

    @Test
    @DisplayName("A key that was asked for with one token is not asked for with another")
    void fetchesAKeyForOneTokenOnly() throws IOException {
        Path machine = machine("m1");
        assertRefused(machine, strange(), "unknown here"); // its key is on the disk from now on
        Path copy = Files.createDirectories(machine("copied-meanwhile"));
        Files.copy(
                machine.resolve("identity-asked-for.json"),
                copy.resolve("identity-asked-for.json"));

        NodeKeyAndCertificate node =
                testGateway.enroll(machine, testGateway.token("berth-01", 1).getSecret());

        assertThat(Files.readString(copy.resolve("identity-asked-for.json")))
                .doesNotContain(node.key().lines().skip(1).findFirst().orElseThrow());
    }

    /** A token of the right gateway that nobody made. */
    private String strange() {
        return drover.trust.identity.JoinToken.create(
                        new SecureRandom(), SpkiPin.of(testGateway.forGateways.certificate()))
                .text();
    }

    private JoinToken listed() {
        return testGateway
                .tokens()
                .listDirectoryJoinTokens(ListDirectoryJoinTokensRequest.getDefaultInstance())
                .getTokens(0);
    }

    @Test
    @DisplayName("H4 a token is good for one machine, and for none after it was revoked")
    void aTokenIsGoodForOneMachineAndForNoneAfterItWasRevoked() {
        String once = testGateway.token("berth-01", 1).getSecret();
        var _ = testGateway.enroll(machine("m1"), once);
        assertRefused(machine("m2"), once, "is used up");

        CreateDirectoryJoinTokenResponse many = testGateway.token("", 3);
        assertThat(testGateway.enroll(machine("m3"), many.getSecret()).node())
                .hasSize(36); // a UUID
        var _ =
                testGateway
                        .tokens()
                        .revokeDirectoryJoinToken(
                                RevokeDirectoryJoinTokenRequest.newBuilder()
                                        .setTokenId(many.getToken().getId())
                                        .setRevokedBy("key:ops")
                                        .build());
        assertRefused(machine("m4"), many.getSecret(), "was revoked");
        assertThat(nodes()).hasSize(2);
    }

    @Test
    void aMachineSendsItsTokenToTheRightGatewayAlone() {
        String made = testGateway.token("berth-01", 1).getSecret();
        String other = made.substring(0, made.lastIndexOf('.') + 1);
        CertificateAuthority another =
                MtlsTestGateway.authority("gateways"); // even of the same name

        assertRefused(
                machine("m1"), other + SpkiPin.of(another.certificate()), "authority is another");
        assertThat(listed().getUses()).isZero();
    }

    @Test
    void aServiceThatIsNoGatewayGetsNoToken() throws SQLException {
        testGateway.close();
        testGateway = open("manifest");

        assertRefused(machine("m1"), strange(), "svc/gateway");
    }

    @Test
    void tooLargeOrTooFrequentRequestsAreRefused() throws IOException {
        Path trust = folder.resolve("gateways.pem");
        Files.writeString(
                trust, CertificateAuthority.toPem(List.of(testGateway.forGateways.certificate())));
        ManagedChannel stranger =
                Channels.open(
                        new Address.Tcp(
                                "127.0.0.1", testGateway.gateway.enrollmentPort().orElseThrow()),
                        TlsChannelCredentials.newBuilder().trustManager(trust.toFile()).build());
        try {
            assertThat(refused(stranger, "x".repeat(20_000))) // too large to be looked at
                    .isNotEqualTo(RefusalCode.JOIN_TOKEN_UNKNOWN);
            List<RefusalCode> answers = new ArrayList<>();
            for (int i = 0; i < 60; i++) { // far faster than the two a second that are let in
                answers.add(refused(stranger, strange()));
            }
            assertThat(answers.getFirst()).isEqualTo(RefusalCode.JOIN_TOKEN_UNKNOWN);
            assertThat(answers).contains(RefusalCode.OVERLOADED);
        } finally {
            stranger.shutdownNow();
        }
    }

    private static @Nullable RefusalCode refused(ManagedChannel channel, String token) {
        StatusRuntimeException refused =
                catchThrowableOfType(
                        StatusRuntimeException.class,
                        () ->
                                EnrollmentServiceGrpc.newBlockingStub(channel)
                                        .enroll(
                                                EnrollRequest.newBuilder()
                                                        .setJoinToken(token)
                                                        .setCertificateRequest(
                                                                ByteString.copyFrom(
                                                                        CertificateRequestKeyPair
                                                                                .create()
                                                                                .signingRequest()))
                                                        .build()));
        assertThat(refused).isNotNull();
        return RefusalParser.from(refused).map(Refused::code).orElse(null);
    }

    @Test
    @DisplayName("H14 drover-agent enroll says who the node is, and never the token")
    void theAgentsOwnCommandEnrollsTheMachine() throws Exception {
        String token = testGateway.token("berth-01", 1).getSecret();
        Path tokenFile = Files.writeString(folder.resolve("token"), token + "\n");
        Files.setPosixFilePermissions(tokenFile, PosixFilePermissions.fromString("rw-------"));

        String message = agent(0, tokenFile);
        assertThat(message).contains("This machine is node berth-01; its certificate ends");
        assertThat(agent(1, tokenFile)).contains("This machine is node berth-01 already");
        assertThat(message).doesNotContain(token);
    }

    private String agent(int expected, Path tokenFile) throws Exception {
        Process process =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OpsAgentMain.class.getName(),
                                "enroll",
                                "--gateway",
                                testGateway.enrollmentEndpoint().text(),
                                "--token-file",
                                tokenFile.toString(),
                                "--state",
                                machine("m1").toString())
                        .redirectErrorStream(true)
                        .start();
        String message =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(message).isEqualTo(expected);
        return message;
    }
}
