package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.coordinator.store.gateway.PostgresBlockedNodeReader;
import drover.coordinator.store.sql.Database;
import drover.gateway.Faults;
import drover.gateway.NodeGateway;
import drover.gateway.store.TestPostgres;
import drover.model.Digest;
import drover.model.NodeId;
import drover.node.v1.BlockReason;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RetireDirectoryNodeRequest;
import drover.node.v1.RevokeDirectoryNodeRequest;
import drover.node.v1.RevokeDirectoryNodeResponse;
import drover.opsagent.identity.CertificateCredential;
import drover.opsagent.identity.CertificateRenewalClient;
import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.peers.TokenCredential;
import drover.system.fixture.Waits;
import drover.trust.identity.JoinToken;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever ends a certificate ends the streams that began with it, at every gateway: two of them
 * over real sockets and one database, and machines that were enrolled by the agent's own code.
 */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateways first
class RevocationIT {
    private static final String NODE = "berth-01";
    private static final Duration DAY = Duration.ofHours(24);
    private static final Duration H3 = Duration.ofSeconds(5);
    private static final Duration ANSWER = Waits.LIMIT;

    private static TestPostgres database;

    @TempDir Path folder;

    private MtlsTestGateway testGateway;
    private NodeGateway other;
    private final List<OpenAgentStream> streams = new ArrayList<>();

    @BeforeAll
    static void openADatabase() {
        database = TestPostgres.open();
    }

    @BeforeEach
    void openTwoGateways() throws SQLException {
        testGateway = MtlsTestGateway.open(database.dataSource(), folder, "gateway", DAY);
        other = testGateway.gateway("g2", database.dataSource(), DAY);
    }

    @AfterEach
    void closeThem() {
        streams.forEach(OpenAgentStream::close);
        other.close();
        testGateway.close();
    }

    private NodeCredential enrolled(String machine) {
        var _ =
                testGateway.enroll(
                        testGateway.machine(machine), testGateway.token(NODE, 1).getSecret());
        return new CertificateCredential(file(machine));
    }

    private IdentityFile file(String machine) {
        return MtlsTestGateway.file(testGateway.machine(machine));
    }

    private GatewayAddress otherEndpoint() {
        return new GatewayAddress("127.0.0.1:" + other.agentPort());
    }

    private OpenAgentStream connect(
            GatewayAddress address, NodeCredential credential, long incarnation) {
        OpenAgentStream stream = OpenAgentStream.connect(address, credential, incarnation);
        streams.add(stream);
        return stream;
    }

    private OpenAgentStream held(
            GatewayAddress address, NodeCredential credential, long incarnation) {
        OpenAgentStream stream = connect(address, credential, incarnation);
        assertThat(stream.answer()).succeedsWithin(ANSWER).asString().isEmpty();
        return stream;
    }

    private void assertRefused(GatewayAddress address, NodeCredential credential, String why) {
        assertThat(connect(address, credential, 99).answer())
                .succeedsWithin(ANSWER)
                .asString()
                .contains(why);
    }

    private static void assertEnded(OpenAgentStream stream) {
        assertThat(stream.end())
                .succeedsWithin(Waits.promised(H3))
                .asString()
                .contains("was ended");
    }

    /** What a leader reads, whatever the node's gateway says. */
    private static boolean isBlockedForTheLeader() {
        NodeId node = new NodeId(NODE);
        return new PostgresBlockedNodeReader(Database.migrateAndOpen(database.dataSource()))
                .findBlocked(List.of(node))
                .contains(node);
    }

    private RevokeDirectoryNodeResponse revoke() {
        return testGateway
                .directory()
                .revokeDirectoryNode(
                        RevokeDirectoryNodeRequest.newBuilder()
                                .setNodeId(NODE)
                                .setRevokedBy("key:ops")
                                .build());
    }

    @Test
    @DisplayName("H3 a revoked node's streams are closed at every gateway, and it stays out")
    void aRevokedNodesStreamsAreClosedAtEveryGateway() {
        NodeCredential machine = enrolled("m1");
        OpenAgentStream here = held(testGateway.agentEndpoint(), machine, 1);
        OpenAgentStream there = held(otherEndpoint(), machine, 1);
        String spare = testGateway.token(NODE, 1).getSecret();

        RevokeDirectoryNodeResponse ended = revoke();

        assertEnded(here);
        assertEnded(there);
        assertThat(ended.getNode().getBlockReason()).isEqualTo(BlockReason.BLOCK_REASON_REVOKED);
        assertThat(ended.getRevokedCertificates()).isEqualTo(1);
        assertThat(ended.getRevokedJoinTokens()).isEqualTo(1);
        assertThat(isBlockedForTheLeader()).isTrue();
        assertRefused(testGateway.agentEndpoint(), machine, "was revoked");
        assertRefused(otherEndpoint(), machine, "was revoked");
        assertThatThrownBy(
                        () ->
                                new CertificateRenewalClient(file("m1"))
                                        .renewAt(testGateway.agentEndpoint()))
                .hasMessageContaining("was revoked");
        assertThatThrownBy(() -> testGateway.enroll(testGateway.machine("thief"), spare))
                .hasMessageContaining("was revoked");

        NodeCredential renewed = enrolled("m2");
        held(testGateway.agentEndpoint(), renewed, 1);
        held(otherEndpoint(), renewed, 1);
        assertThat(isBlockedForTheLeader()).isFalse();
        assertRefused(otherEndpoint(), machine, "was ended");
    }

    @Test
    @DisplayName("H3 a machine that is enrolled anew gets in at once, and the one before it is out")
    void aMachineThatIsEnrolledAgainGetsInAtOnce() {
        NodeCredential before = enrolled("m1");
        OpenAgentStream here =
                held(testGateway.agentEndpoint(), before, 9); // it was started more often
        OpenAgentStream there = held(otherEndpoint(), before, 9);

        NodeCredential renewed = enrolled("m2");

        held(testGateway.agentEndpoint(), renewed, 1);
        assertEnded(here);
        assertEnded(there);
        assertRefused(otherEndpoint(), before, "was ended");
    }

    @Test
    @DisplayName("H3 a retired node's certificates are ended, also where nobody knew it connected")
    void aRetiredNodesStreamsAreClosed() {
        OpenAgentStream there = held(otherEndpoint(), enrolled("m1"), 1);
        await().atMost(ANSWER) // it is written once, some time after the agent has come
                .until(() -> database.text("SELECT gateway_id FROM gateway.node").equals("g2"));
        database.run("UPDATE gateway.node SET gateway_id = ''"); // as if it had been cut off

        var _ =
                testGateway
                        .directory()
                        .retireDirectoryNode(
                                RetireDirectoryNodeRequest.newBuilder().setNodeId(NODE).build());

        assertEnded(there);
        assertThat(isBlockedForTheLeader()).isTrue();
    }

    @Test
    @DisplayName(
            "H3 what was ended long ago is not forgotten while a stream lives that began with it")
    void whatWasEndedLongAgoIsNotForgotten() {
        OpenAgentStream here = held(testGateway.agentEndpoint(), enrolled("m1"), 1);

        database.run("UPDATE gateway.certificate SET revoked_at = now() - interval '20 hours'");

        assertEnded(here);
    }

    @Test
    @DisplayName("H3 a stream ends with its certificate, also where nobody can say it was revoked")
    @Faults(
            rule = "H3 (a stream ends with its certificate)",
            sample = "RevocationIT.aStreamEndsWithItsShortCertificate")
    void aStreamEndsWithItsCertificate() {
        Duration life = Duration.ofSeconds(30); // for all that comes before
        AtomicBoolean unavailable = new AtomicBoolean();
        DataSource source = cut(database.dataSource(), unavailable);
        try (NodeGateway alone = testGateway.gateway("g3", source, life)) {
            NodeKeyAndCertificate node = enrolled("m1", alone);
            OpenAgentStream stream =
                    held(at(alone.agentPort()), new CertificateCredential(file("m1")), 1);
            unavailable.set(true);
            var _ = revoke();

            assertThat(isBlockedForTheLeader()).as("it commands the node no more").isTrue();
            assertThat(stream.end())
                    .succeedsWithin(life.plus(Waits.promised(H3)))
                    .asString()
                    .contains("has ended; dial with the next one");

            assertThat(Instant.now()).isAfterOrEqualTo(node.expiresAt());
            unavailable.set(false);
        }
    }

    @Test
    @DisplayName("H3 a stream ends with its certificate")
    void aStreamEndsWithItsShortCertificate() {
        Duration life = Duration.ofSeconds(5);
        try (NodeGateway alone = testGateway.gateway("g3", database.dataSource(), life)) {
            ShortLivedStream stream = heldWithFreshCertificate(alone);

            assertThat(stream.stream().end())
                    .succeedsWithin(ANSWER)
                    .asString()
                    .contains("has ended; dial with the next one");
            assertThat(Instant.now()).isAfterOrEqualTo(stream.expiresAt());
        }
    }

    private record ShortLivedStream(OpenAgentStream stream, Instant expiresAt) {}

    /** Enrolls another machine if a certificate expires before the gateway admits its node. */
    private ShortLivedStream heldWithFreshCertificate(NodeGateway gateway) {
        String answer = "";
        for (int attempt = 1; attempt <= 10; attempt++) {
            String machine = "m" + attempt;
            NodeKeyAndCertificate identity = enrolled(machine, gateway);
            NodeCredential credential = new CertificateCredential(file(machine));
            OpenAgentStream stream = connect(at(gateway.agentPort()), credential, attempt);
            assertThat(stream.answer()).succeedsWithin(ANSWER);
            answer = stream.answer().join();
            if (answer.isEmpty()) {
                return new ShortLivedStream(stream, identity.expiresAt());
            }
        }
        throw new AssertionError("The gateway admits no node: " + answer);
    }

    private NodeKeyAndCertificate enrolled(String machine, NodeGateway gateway) {
        return new EnrolledIdentityCreator(file(machine))
                .enrollAt(
                        JoinToken.parse(testGateway.token(NODE, 1).getSecret()),
                        at(gateway.enrollmentPort().orElseThrow()));
    }

    private static GatewayAddress at(int port) {
        return new GatewayAddress("127.0.0.1:" + port);
    }

    /** The same database, which cannot be reached while it is away. */
    private static DataSource cut(DataSource real, AtomicBoolean unavailable) {
        return (DataSource)
                Proxy.newProxyInstance(
                        DataSource.class.getClassLoader(),
                        new Class<?>[] {DataSource.class},
                        (_, method, arguments) -> {
                            if (unavailable.get()) {
                                throw new SQLException("The database is away.");
                            }
                            return method.invoke(real, arguments);
                        });
    }

    @Test
    @DisplayName("H3 a revoked node's token is ended too, and one that was exchanged")
    void aTokenEndsItsStreamsToo() {
        register("first");
        GatewayAddress plain =
                new GatewayAddress(
                        "127.0.0.1:" + testGateway.gateway.nodeTokenAgentPort().orElseThrow());
        OpenAgentStream exchanged = held(plain, new TokenCredential("first"), 9);
        register("second");
        assertEnded(exchanged);
        OpenAgentStream stream = held(plain, new TokenCredential("second"), 1);

        var _ = revoke();

        assertEnded(stream);
        assertRefused(plain, new TokenCredential("second"), "unknown");
    }

    private void register(String token) {
        var _ =
                testGateway
                        .directory()
                        .registerNode(
                                RegisterNodeRequest.newBuilder()
                                        .setNodeId(NODE)
                                        .setChainProfileId("harbour")
                                        .setNodeType("edge")
                                        .setTokenSha256(Digest.of(token).value())
                                        .build());
    }
}
