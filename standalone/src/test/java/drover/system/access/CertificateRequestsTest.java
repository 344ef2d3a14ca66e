package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.util.Durations;
import com.google.rpc.Code;
import com.google.rpc.RetryInfo;
import drover.kit.ca.CertificateAuthority;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.identity.CertificateCredential;
import drover.opsagent.identity.CertificateRenewalClient;
import drover.opsagent.identity.EnrolledIdentityCreator;
import drover.opsagent.identity.EnrollmentConfig;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.JoinTokenConsumingCredential;
import drover.opsagent.identity.NodeKeyAndCertificate;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.system.fixture.Waits;
import drover.trust.identity.JoinToken;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who asks for certificates of one machine, when, and what becomes of the answers. */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
class CertificateRequestsTest {
    private static final Duration LIFE = Duration.ofHours(24);
    private static final Duration SOON = Waits.LIMIT;

    @TempDir Path folder;

    private Instant now = Instant.now(); // by the machine's clock
    private IssuingGateway gateway;
    private IssuingGateway other;
    private IdentityFile file;
    private Path tokenFile;

    @BeforeEach
    void open() throws IOException {
        gateway = new IssuingGateway(LIFE, InstantSource.system());
        other = new IssuingGateway(LIFE, InstantSource.system());
        file = MtlsTestGateway.file(machine());
        tokenFile = folder.resolve("join-token");
    }

    @AfterEach
    void close() {
        gateway.close();
        other.close();
    }

    private Path machine() {
        return folder.resolve("machine");
    }

    private NodeKeyAndCertificate enrolled() {
        return new EnrolledIdentityCreator(file).enrollAt(gateway.token(), gateway.address());
    }

    private NodeCredential joining(GatewayAddress... endpoints) {
        return new JoinTokenConsumingCredential(
                file, new EnrollmentConfig(List.of(endpoints), tokenFile), () -> now);
    }

    private void put(JoinToken token) throws IOException {
        Files.setPosixFilePermissions(
                Files.writeString(tokenFile, token.text()),
                PosixFilePermissions.fromString("rw-------"));
    }

    private void afterTheEnd() {
        now = now.plus(LIFE).plusSeconds(3600);
    }

    /** As a gateway says that too many ask. */
    private static RuntimeException overloaded() {
        return StatusProto.toStatusRuntimeException(
                com.google.rpc.Status.newBuilder()
                        .setCode(Code.RESOURCE_EXHAUSTED_VALUE)
                        .setMessage("Too many at once.")
                        .addDetails(
                                Any.pack(
                                        RetryInfo.newBuilder()
                                                .setRetryDelay(Durations.fromSeconds(40))
                                                .build()))
                        .build());
    }

    @Test
    @DisplayName("D-153: while a renewal is not answered, nobody enrols the machine")
    void oneQuestionForACertificateIsOpenAtATime() throws Exception {
        NodeKeyAndCertificate first = enrolled();
        gateway.renewals = new CountDownLatch(1);
        FutureTask<NodeKeyAndCertificate> renewal =
                new FutureTask<>(
                        () -> new CertificateRenewalClient(file).renewAt(gateway.address()));
        Thread renewing = Thread.ofPlatform().start(renewal);
        await().atMost(SOON).until(() -> gateway.renewing.size() == 1);
        FutureTask<NodeKeyAndCertificate> enrollment =
                new FutureTask<>(
                        () ->
                                new EnrolledIdentityCreator(file)
                                        .enrollAt(gateway.token(), gateway.address()));
        Thread enrolling = Thread.ofPlatform().start(enrollment);

        await().atMost(SOON).until(() -> enrolling.getState() == Thread.State.WAITING);
        assertThat(gateway.enrolling).as("but the first").hasSize(1);
        assertThat(file.read()).contains(first);

        gateway.renewals.countDown();
        renewing.join();
        enrolling.join();
        assertThat(renewal.get().generation()).isEqualTo(2);
        assertThat(enrollment.get().generation()).isEqualTo(3);
        assertThat(file.read()).contains(enrollment.get());
    }

    @Test
    @DisplayName("D-153: while a renewal is not answered, nobody asks for another one")
    void aRenewalWaitsItsTurn() throws Exception {
        var _ = enrolled();
        gateway.renewals = new CountDownLatch(1);
        Thread one = Thread.ofPlatform().start(this::renewed);
        await().atMost(SOON).until(() -> gateway.renewing.size() == 1);
        Thread second = Thread.ofPlatform().start(this::renewed);

        await().atMost(SOON).until(() -> second.getState() == Thread.State.WAITING);
        assertThat(gateway.renewing).hasSize(1);

        gateway.renewals.countDown();
        one.join();
        second.join();
        assertThat(gateway.renewing).hasSize(2);
    }

    @Test
    @DisplayName("H8: a renewal changes neither which CAs a node trusts nor skips generations")
    void aRenewalCannotChangeTrustOrSkipGenerations() throws Exception {
        NodeKeyAndCertificate first = enrolled();
        CertificateAuthority other = MtlsTestGateway.authority("nodes"); // its name is no proof
        for (List<CertificateAuthority> sent :
                List.of(List.of(other), List.of(IssuingGateway.ca(), other))) {
            gateway.trusted = sent;
            NodeKeyAndCertificate next =
                    new CertificateRenewalClient(file).renewAt(gateway.address());
            assertThat(next.trust()).isEqualTo(first.trust());
            assertThat(file.read()).contains(next);
        }
        gateway.trusted = List.of(IssuingGateway.ca());
        NodeKeyAndCertificate present = file.read().orElseThrow();

        gateway.generation.set(1L << 62);
        assertThatThrownBy(this::renewed)
                .hasMessageContaining("generation")
                .hasMessageContaining("compromised");
        gateway.generation.set(present.generation() + 16);
        assertThatThrownBy(this::renewed).hasMessageContaining("more than 16 above");
        assertThat(file.read()).contains(present);

        gateway.generation.set(present.generation() + 15); // counted up
        assertThat(new CertificateRenewalClient(file).renewAt(gateway.address()).generation())
                .isEqualTo(present.generation() + 16);
    }

    @Test
    @DisplayName("H8: a node reports the gateway that tried to change whom it trusts")
    void theAgentReportsASuspectRenewal() throws Exception {
        gateway.close(); // three quarters of this life passed at once: it starts 5 minutes earlier
        gateway = new IssuingGateway(Duration.ofSeconds(90), InstantSource.system());
        NodeKeyAndCertificate first = enrolled();
        gateway.trusted = List.of(MtlsTestGateway.authority("nodes"));
        try (OpsAgent _ = agent()) {
            await().atMost(SOON).until(() -> gateway.findings.contains("RENEWAL_SUSPECT"));
        }
        assertThat(file.read().orElseThrow().trust()).isEqualTo(first.trust());
        assertThat(file.read().orElseThrow().generation()).isGreaterThan(first.generation());
    }

    @Test
    @DisplayName("A machine enrolls only for the CA that its join token names")
    void anEnrollmentRequiresTheCaOfItsToken() {
        gateway.trusted = List.of(MtlsTestGateway.authority("nodes"));
        assertThatThrownBy(
                        () ->
                                new EnrolledIdentityCreator(file)
                                        .enrollAt(gateway.token(), gateway.address()))
                .hasMessageContaining("without the one that the join token names");
        assertThat(file.read()).isEmpty();
    }

    private void renewed() {
        var _ = new CertificateRenewalClient(file).renewAt(gateway.address());
    }

    @Test
    @DisplayName("D-153: a renewal that is no later certificate, or another node's, is not kept")
    void aRenewalThatIsNotLaterLeavesTheFile() {
        NodeKeyAndCertificate first = enrolled();
        gateway.generation.set(-1); // counted up: zero
        assertThatThrownBy(this::renewed).hasMessageContaining("is not taken");
        assertThat(file.read()).contains(first);

        gateway.generation.set(6);
        gateway.named = "berth-02";
        assertThatThrownBy(this::renewed).hasMessageContaining("is not taken");
        assertThat(file.read()).contains(first);
    }

    @Test
    @DisplayName("D-160: what a gateway sends for a token is not kept when it names another node")
    void whatATokenBroughtIsNotKeptWhenItNamesAnotherNode() throws IOException {
        NodeKeyAndCertificate first = enrolled();
        afterTheEnd();
        gateway.named = "berth-02"; // an older gateway, which does not read who the machine is
        put(gateway.token());
        NodeCredential credential = joining(gateway.address());

        assertThat(credential.prepareConnection(gateway.address()).node()).isEqualTo(first.node());
        assertThat(credential.prepareConnection(gateway.address()).node()).isEqualTo(first.node());

        assertThat(file.read()).contains(first);
        assertThat(gateway.enrolling).as("asked with once, after the first").hasSize(2);
    }

    @Test
    @DisplayName("H4 a renewal that fails between two tries with a token costs no second use")
    void eachQuestionGoesOnWithItsOwnKey() {
        var _ = enrolled();
        JoinToken token = gateway.token();
        gateway.enrolmentsEnd = Status.UNAVAILABLE.asRuntimeException(); // the reply is lost
        gateway.renewalsEnd = Status.UNAVAILABLE.asRuntimeException();
        EnrolledIdentityCreator enrolling = new EnrolledIdentityCreator(file);
        assertThatThrownBy(() -> enrolling.enrollAt(token, gateway.address()));
        assertThatThrownBy(this::renewed);
        gateway.enrolmentsEnd = null;
        var _ = enrolling.enrollAt(token, gateway.address());

        assertThat(gateway.enrolling).hasSize(3);
        assertThat(gateway.enrolling.get(2)).isEqualTo(gateway.enrolling.get(1));
        assertThat(machine().toFile().list()).containsExactly("identity.json");
    }

    @Test
    @DisplayName("D-162: a door that has too much to do is the last one that is asked in a round")
    void tooManyAtOneEndpointEndsTheRound() throws IOException {
        gateway.enrolmentsEnd = overloaded();
        put(gateway.token());
        NodeCredential credential = joining(gateway.address(), other.address());

        assertThatThrownBy(() -> credential.prepareConnection(gateway.address()))
                .isInstanceOfSatisfying(
                        NodeCredential.CredentialTemporarilyUnavailable.class,
                        later -> assertThat(later.retryAfter()).hasSeconds(40));
        assertThat(other.enrolling).isEmpty();

        var _ =
                credential.prepareConnection(
                        gateway.address()); // the next round begins with another one
        assertThat(other.enrolling).hasSize(1);
        assertThat(file.read()).isPresent();
    }

    @Test
    @DisplayName("D-162: the next round begins after the door that has too much to do")
    void anEndpointBeforeTheOverloadedOneDoesNotBringItFirst() throws IOException {
        gateway.enrolmentsEnd = overloaded();
        put(gateway.token());
        NodeCredential credential =
                joining(IssuingGateway.unreachableAddress(), gateway.address(), other.address());
        assertThatThrownBy(() -> credential.prepareConnection(gateway.address()))
                .isInstanceOf(NodeCredential.CredentialTemporarilyUnavailable.class);

        var _ = credential.prepareConnection(gateway.address());
        assertThat(other.enrolling).hasSize(1);
        assertThat(gateway.enrolling).as("in the first round alone").hasSize(1);
    }

    @Test
    @DisplayName("D-162: an ended certificate is shown as a last resort, and no other one is")
    void anEndedCertificateIsALastResort() throws IOException {
        put(gateway.token());
        NodeCredential credential = joining(gateway.address());
        assertThat(credential.prepareConnection(gateway.address()).lastResort()).isEmpty();

        afterTheEnd();
        gateway.enrolmentsEnd = overloaded();
        assertThat(credential.prepareConnection(gateway.address()).lastResort())
                .contains(Duration.ofSeconds(40));

        gateway.enrolmentsEnd = Status.UNAUTHENTICATED.asRuntimeException();
        assertThat(credential.prepareConnection(gateway.address()).lastResort())
                .contains(Duration.ZERO);
    }

    @Test
    @DisplayName("D-163: a token lies there until a gateway has welcomed the certificate")
    void aTokenIsRemovedByAWelcomeAlone() throws Exception {
        var _ = enrolled(); // good by the machine's clock, whatever the gateways' say
        put(gateway.token());
        gateway.welcomes = false;
        try (OpsAgent agent = agent()) {
            assertThat(agent.isExecutor()).isTrue();
            await().atMost(SOON).until(() -> gateway.refusals.get() > 1);
            assertThat(tokenFile).exists();
            gateway.welcomes = true;
            await().atMost(SOON).until(() -> !Files.exists(tokenFile));
        }
        assertThat(gateway.enrolling).as("it was not needed").hasSize(1);
    }

    @Test
    @DisplayName("D-163: a standby leaves the token to the agent that cares for the node")
    void aStandbyLeavesTheToken() throws Exception {
        var _ = enrolled();
        put(gateway.token());
        ExecutorLock another = ExecutorLock.tryAcquire(machine());
        try (OpsAgent standby = agent()) {
            await().atMost(SOON).until(() -> gateway.heartbeats.get() > 0); // it was welcomed
            assertThat(standby.isExecutor()).isFalse();
            assertThat(tokenFile).exists();

            another.close();
            await().atMost(SOON).until(() -> !Files.exists(tokenFile));
            assertThat(standby.isExecutor()).isTrue();
        }
    }

    private OpsAgent agent() {
        OpsAgentConfig config =
                OpsAgentConfig.forProcessRuntime(
                                machine(), folder.resolve("root"), List.of(gateway.address()), "")
                        .withReconnectCap(Duration.ofMillis(500))
                        .withEnrollment(
                                new EnrollmentConfig(List.of(gateway.address()), tokenFile));
        return OpsAgent.start(
                config, OpsAgent.Dependencies.local(DownloadPolicy.forLocalMachine()));
    }

    @Test
    @DisplayName("D-163: a token that could not be removed is removed as soon as it can be")
    void theRemovalOfATokenIsTriedAgain() throws IOException {
        var _ = enrolled();
        Path inside = Files.createDirectory(tokenFile).resolve("in-its-way");
        Files.createFile(inside);
        NodeCredential credential = joining(gateway.address());
        credential.onAccepted();
        assertThat(tokenFile).exists();

        Files.delete(inside);
        Files.delete(tokenFile);
        put(gateway.token());
        credential.onAccepted();
        assertThat(tokenFile).doesNotExist();
    }

    @Test
    @DisplayName("D-163: an agent that enrols its machine names the token's file, and no command")
    void reportsTheFileWhileWaitingForAToken() {
        EnrollmentConfig place = new EnrollmentConfig(List.of(gateway.address()), tokenFile);
        NodeCredential standby = new CertificateCredential(file, Optional.of(place));
        assertThatThrownBy(() -> standby.prepareConnection(gateway.address()))
                .hasMessageContaining("put a join token into " + tokenFile);
    }
}
