package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.store.TestPostgres;
import drover.node.v1.ListDirectoryJoinTokensRequest;
import drover.node.v1.ListDirectoryRequest;
import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.EnrollmentConfig;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.JoinTokenConsumingCredential;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.peers.CredentialConnectionTester;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.system.fixture.Waits;
import drover.trust.identity.JoinToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent that gets its certificate by itself, as in a container: its own code dials the gateway's
 * own doors over real sockets.
 */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
class SelfEnrollmentIT {
    private static final String NODE = "berth-01";
    private static final Duration ANSWER = Waits.LIMIT;
    private static TestPostgres database;

    @TempDir Path folder;

    private Instant now = Instant.now();
    @AutoClose private MtlsTestGateway testGateway;
    private IdentityFile file;
    private Path tokenFile;
    private NodeCredential credential;

    @BeforeAll
    static void openADatabase() {
        database = TestPostgres.open();
    }

    @BeforeEach
    void openTheGateway() throws SQLException {
        testGateway =
                MtlsTestGateway.open(
                        database.dataSource(), folder, "gateway", Duration.ofHours(24));
        file = MtlsTestGateway.file(testGateway.machine("m1"));
        tokenFile = folder.resolve("join-token");
        credential = credential();
    }

    /** Of one agent. The first of its doors is one at which nobody answers. */
    private NodeCredential credential() {
        EnrollmentConfig place =
                new EnrollmentConfig(
                        List.of(
                                new GatewayAddress("127.0.0.1:1"),
                                testGateway.enrollmentEndpoint()),
                        tokenFile);
        return new JoinTokenConsumingCredential(file, place, () -> now);
    }

    /** Empty when the gateway welcomed it. */
    private String connect() {
        String problem =
                CredentialConnectionTester.connectAndFindProblem(
                        testGateway.agentEndpoint(), credential, "1.0.0", 1, ANSWER);
        if (problem.isEmpty()) {
            credential.onAccepted(); // as a session says
        }
        return problem;
    }

    private void put(String token) throws IOException {
        Files.setPosixFilePermissions(
                Files.writeString(tokenFile, token + "\n"),
                PosixFilePermissions.fromString("rw-------"));
    }

    private NodeKeyAndCertificate identity() {
        return file.read().orElseThrow();
    }

    @Test
    @DisplayName("D-153: a machine is enrolled by its first dial after a token was put there, once")
    void isEnrolledByItsFirstConnectionWithAToken() throws IOException {
        assertThatThrownBy(this::connect)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("put a join token there");
        put("nonsense");
        assertThatThrownBy(this::connect)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("It is no join token");

        put(testGateway.token(NODE, 1).getSecret());
        assertThat(connect()).isEmpty();
        NodeKeyAndCertificate first = identity();
        assertThat(first.node()).isEqualTo(NODE);

        assertThat(tokenFile).as("it would be of use to a thief alone").doesNotExist();

        String unspent = testGateway.token(NODE, 1).getSecret();
        put(unspent); // as somebody does who did not look
        assertThat(connect()).isEmpty();
        assertThat(identity()).isEqualTo(first);
        assertThat(tokenFile).doesNotExist();
    }

    @Test
    @DisplayName("D-153: after its certificate's end a machine is enrolled by another token alone")
    void isEnrolledAgainAfterItsCertificatesEnd() throws IOException {
        String spent = testGateway.token(NODE, 1).getSecret();
        put(spent);
        assertThat(connect()).isEmpty();
        NodeKeyAndCertificate first = identity();

        now = now.plus(Duration.ofHours(25));
        put(spent);
        assertThat(connect()).as("the gateway judges by its own clock").isEmpty();
        assertThat(identity()).isEqualTo(first);
        assertThat(tokenFile).doesNotExist();
        assertThat(connect()).isEmpty();

        put(testGateway.token(NODE, 1).getSecret());
        assertThat(connect()).isEmpty();
        assertThat(identity().generation()).isEqualTo(2);
        assertThat(identity().key()).isNotEqualTo(first.key());
    }

    @Test
    @DisplayName("D-153: a token that is refused is asked with once, until another one lies there")
    void refusedTokenIsTriedOnce() throws IOException {
        String spent = testGateway.token("berth-02", 1).getSecret();
        testGateway.enroll(testGateway.machine("m2"), spent);
        put(spent);
        assertThatThrownBy(this::connect)
                .isInstanceOf(NodeCredential.EnrollmentRefused.class)
                .hasMessageContaining("is used up");
        assertThatThrownBy(this::connect)
                .isInstanceOf(NodeCredential.EnrollmentRefused.class)
                .hasMessageContaining("was refused: put another one there");

        put(testGateway.token(NODE, 1).getSecret());
        assertThat(connect()).isEmpty();
        assertThat(identity().node()).isEqualTo(NODE);
    }

    @Test
    @DisplayName(
            "D-160: a machine stays the node that it is, whatever a token names, and uses none up")
    void staysTheNodeThatItIs() throws IOException {
        put(testGateway.token(NODE, 1).getSecret());
        assertThat(connect()).isEmpty();
        NodeKeyAndCertificate first = identity();

        now = now.plus(Duration.ofHours(25));
        for (String other : List.of("", "berth-02")) {
            put(testGateway.token(other, other.isEmpty() ? 5 : 1).getSecret());
            assertThat(connect()).as("shown is what it has").isEmpty();
            assertThat(identity()).isEqualTo(first);
        }
        JoinToken another = JoinToken.parse(testGateway.token("berth-02", 1).getSecret());
        assertThatThrownBy(
                        () ->
                                new EnrolledIdentityCreator(file)
                                        .enrollAt(another, testGateway.enrollmentEndpoint()))
                .isInstanceOf(NodeCredential.EnrollmentRefused.class)
                .hasMessageContaining("the join token makes node berth-02: make one with --node");
        assertThat(
                        testGateway
                                .directory()
                                .listDirectory(ListDirectoryRequest.getDefaultInstance())
                                .getNodesList())
                .singleElement()
                .satisfies(node -> assertThat(node.getId()).isEqualTo(NODE));
        assertThat(
                        testGateway
                                .tokens()
                                .listDirectoryJoinTokens(
                                        ListDirectoryJoinTokensRequest.getDefaultInstance())
                                .getTokensList())
                .filteredOn(token -> !token.getNodeId().equals(NODE))
                .hasSize(3)
                .allSatisfy(token -> assertThat(token.getUses()).isZero());

        put(testGateway.token(NODE, 1).getSecret());
        assertThat(connect()).isEmpty();
        assertThat(identity().generation()).isEqualTo(2);
    }

    @Test
    @DisplayName("D-160: who takes the identity away makes the machine what a refused token names")
    void aTokenOfAnotherNodeIsTakenOnceTheMachineIsNone() throws IOException {
        put(testGateway.token(NODE, 1).getSecret());
        assertThat(connect()).isEmpty();
        now = now.plus(Duration.ofHours(25));
        put(testGateway.token("berth-02", 1).getSecret());
        for (int round = 0; round < 2; round++) { // as an agent that dials, and is not welcomed
            NodeCredential.PreparedConnection shown =
                    credential.prepareConnection(testGateway.agentEndpoint());
            shown.channel().shutdownNow();
            assertThat(shown.node()).isEqualTo(NODE);
            assertThat(shown.lastResort()).isPresent();
        }

        Files.delete(testGateway.machine("m1").resolve(IdentityFile.NAME));
        assertThat(connect()).isEmpty();
        assertThat(identity().node()).isEqualTo("berth-02");
    }
}
