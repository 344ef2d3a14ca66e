package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.identity.JoinTokenRules;
import drover.gateway.identity.PresentedCertificate;
import drover.gateway.identity.PresentedCertificate.Validity;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.EnrollmentStore.EnrollmentResult;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What join tokens and certificates are, whatever they are kept in. */
@SuppressWarnings("NullAway.Init") // open() sets them before every test
abstract class EnrollmentStoreContract {
    private static final Digest SECRET = Digest.of("secret");
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    static final NodeId MADE_UP = new NodeId("made-up");

    NodeStore nodes;
    EnrollmentStore store;
    NodeCertificateStore certificates;

    /** Opens all stores over the same, empty state. */
    abstract void open();

    @BeforeEach
    void openStore() {
        open();
    }

    private JoinTokenMetadata grant(String id, String node, int maxUses, Instant expires) {
        return grant(id, node, maxUses, expires, Map.of("zone", "a"));
    }

    private JoinTokenMetadata grant(
            String id, String node, int maxUses, Instant expires, Map<String, String> labels) {
        JoinTokenMetadata grant =
                new JoinTokenRules.Request(
                                Optional.of(node).filter(n -> !n.isEmpty()).map(NodeId::new),
                                new ChainProfileId("testchain"),
                                new NodeType("full"),
                                labels,
                                maxUses,
                                Duration.between(now, expires),
                                "key:ops")
                        .toIssuedJoinToken(id, now);
        store.addJoinToken(grant, SECRET);
        return grant;
    }

    JoinTokenMetadata grant(String id, String node, int maxUses) {
        return grant(id, node, maxUses, now.plusSeconds(600));
    }

    private static EnrollmentStore.EnrollmentRequest showing(
            String token, String key, NodeId otherwise) {
        return new EnrollmentStore.EnrollmentRequest(
                token, SECRET, Digest.of(key), otherwise, Optional.empty());
    }

    EnrollmentResult enroll(String token, String key) {
        return enroll(showing(token, key, MADE_UP));
    }

    private EnrollmentResult enroll(EnrollmentStore.EnrollmentRequest showing) {
        return store.enroll(
                showing,
                (node, generation) ->
                        new IssuedCertificate(
                                node,
                                generation,
                                showing.publicKey().shortHex() + "-" + node + "-" + generation,
                                showing.publicKey(),
                                now.plusSeconds(86_400),
                                "pem"));
    }

    static IssuedCertificate given(EnrollmentResult enrollment) {
        assertThat(enrollment).isInstanceOf(EnrollmentResult.EnrolledWithCertificate.class);
        return ((EnrollmentResult.EnrolledWithCertificate) enrollment).given();
    }

    void assertSpent(EnrollmentResult enrollment, String how) {
        assertThat(enrollment)
                .asInstanceOf(type(EnrollmentResult.UnusableToken.class))
                .extracting(EnrollmentResult.UnusableToken::sentence)
                .asString()
                .contains(how);
    }

    List<NodeIdentity> known() {
        return nodes.list(NodeStore.Query.firstPage()).stream()
                .map(NodeStore.StoredNode::node)
                .toList();
    }

    @Test
    void aMachineBecomesTheNodeThatItsTokenNames() {
        grant("t", "n1", 1);

        IssuedCertificate given = given(enroll("t", "k1"));

        assertThat(given.node()).isEqualTo(new NodeId("n1"));
        assertThat(given.generation()).isEqualTo(1);
        assertThat(known())
                .containsExactly(
                        new NodeIdentity(
                                new NodeId("n1"),
                                new ChainProfileId("testchain"),
                                new NodeType("full"),
                                Map.of("zone", "a")));
        assertThat(store.listJoinTokens().getFirst().uses()).isEqualTo(1);
    }

    @Test
    void aMachineWhoseTokenNamesNoneGetsAnIdThatIsMadeUp() {
        grant("t", "", 1);
        assertThat(given(enroll("t", "k1")).node()).isEqualTo(MADE_UP);
    }

    @Test
    @DisplayName("H4 the same token with the same key has the same answer, and counts once")
    void theSameTokenWithTheSameKeyHasTheSameAnswer() {
        grant("t", "", 2);
        IssuedCertificate first = given(enroll("t", "k1"));
        IssuedCertificate again = given(enroll(showing("t", "k1", new NodeId("another"))));

        assertThat(again).isEqualTo(first);
        assertThat(store.listJoinTokens().getFirst().uses()).isEqualTo(1);
        assertThat(known()).hasSize(1);
    }

    @Test
    @DisplayName("H4 a used token is refused to another key")
    void aUsedTokenIsRefusedToAnotherKey() {
        grant("t", "n1", 1);
        var _ = given(enroll("t", "k1"));
        assertSpent(enroll("t", "k2"), "used up");
    }

    @Test
    @DisplayName("H4 an unknown token and a wrong secret are the same")
    void anUnknownTokenAndAWrongSecretAreTheSame() {
        grant("t", "n1", 1);
        assertThat(enroll("other", "k1")).isInstanceOf(EnrollmentResult.UnknownToken.class);
        assertThat(
                        enroll(
                                new EnrollmentStore.EnrollmentRequest(
                                        "t",
                                        Digest.of("wrong"),
                                        Digest.of("k1"),
                                        MADE_UP,
                                        Optional.empty())))
                .isInstanceOf(EnrollmentResult.UnknownToken.class);
        assertThat(known()).isEmpty();
    }

    @Test
    @DisplayName("H4 an expired token is refused, also to whom it enrolled")
    void anExpiredTokenIsRefused() {
        grant("t", "n1", 1, now.minusSeconds(1));
        assertSpent(enroll("t", "k1"), "expired");
        assertThat(known()).isEmpty();
    }

    @Test
    @DisplayName("H4 a revoked token is refused, also to whom it enrolled")
    void aRevokedTokenIsRefused() {
        grant("t", "", 5);
        var _ = given(enroll("t", "k1"));

        JoinTokenMetadata revoked = store.revoke("t", "key:boss").orElseThrow();
        assertThat(revoked.revokedBy()).isEqualTo("key:boss");
        assertThat(revoked.revokedAt()).isPresent();
        assertSpent(enroll("t", "k1"), "revoked");
        assertSpent(enroll("t", "k2"), "revoked");
        assertThat(store.revoke("t", "key:other")).contains(revoked);
        assertThat(store.revoke("none", "key:boss")).isEmpty();
    }

    @Test
    void aNodeThatIsEnrolledAgainHasALaterGeneration() {
        grant("t1", "n1", 1);
        grant("t2", "n1", 1);
        var _ = given(enroll("t1", "k1"));
        assertThat(given(enroll("t2", "k2")).generation()).isEqualTo(2);
        assertThat(known()).hasSize(1);
    }

    @Test
    @DisplayName("D-153: a token without labels leaves a node those that it has")
    void aNodeThatIsEnrolledAgainKeepsItsLabelsUnlessTheTokenHasSome() {
        NodeIdentity prepared =
                new NodeIdentity(
                        new NodeId("n1"),
                        new ChainProfileId("testchain"),
                        new NodeType("full"),
                        Map.of("var.port", "7001"));
        var _ = nodes.register(prepared, Digest.of("token"));
        grant("t1", "n1", 1, now.plusSeconds(600), Map.of());
        grant("t2", "n1", 1);

        var _ = given(enroll("t1", "k1"));
        assertThat(known()).containsExactly(prepared);
        var _ = given(enroll("t2", "k2"));
        assertThat(known().getFirst().labels()).isEqualTo(Map.of("zone", "a"));
    }

    @Test
    void aRetiredNodeIsBackInServiceWhenItIsEnrolledAgain() {
        grant("t1", "n1", 1);
        grant("t2", "n1", 1);
        var _ = given(enroll("t1", "k1"));
        var _ = nodes.retire(new NodeId("n1"));
        assertThat(known()).isEmpty();
        var _ = given(enroll("t2", "k2"));
        assertThat(known()).hasSize(1);
    }

    @Test
    void aNodeOfAnotherChainStaysWhatItIsAndTheTokenIsNotUsed() {
        NodeIdentity present =
                new NodeIdentity(
                        new NodeId("n1"), new ChainProfileId("x"), new NodeType("y"), Map.of());
        var _ = nodes.register(present, Digest.of("token"));
        grant("t", "n1", 1);

        assertThat(enroll("t", "k1")).isEqualTo(new EnrollmentResult.ChainOrTypeConflict(present));
        assertThat(store.listJoinTokens().getFirst().uses()).isZero();
        assertThat(known()).containsExactly(present);
    }

    /** By a machine that is this node by now. */
    private EnrollmentResult enrollAs(String present, String token, String key) {
        return enroll(
                new EnrollmentStore.EnrollmentRequest(
                        token, SECRET, Digest.of(key), MADE_UP, Optional.of(new NodeId(present))));
    }

    @Test
    @DisplayName("D-160: a token that makes another node than the machine is, is not used up")
    void aMachineStaysTheNodeThatItIs() {
        grant("new", "", 2);
        grant("n2", "n2", 1);
        grant("n1", "n1", 1);

        assertThat(enrollAs("n1", "new", "k1"))
                .isEqualTo(new EnrollmentResult.MachineAlreadyEnrolled(Optional.empty()));
        assertThat(enrollAs("n1", "n2", "k2"))
                .isEqualTo(
                        new EnrollmentResult.MachineAlreadyEnrolled(Optional.of(new NodeId("n2"))));
        assertThat(store.listJoinTokens()).extracting(JoinTokenMetadata::uses).containsOnly(0);
        assertThat(known()).isEmpty();

        assertThat(given(enrollAs("n1", "n1", "k3")).node()).isEqualTo(new NodeId("n1"));
        var _ = given(enroll("new", "k4"));
        assertThat(enrollAs("n1", "new", "k4")) // it was answered as the machine that it is not
                .isEqualTo(new EnrollmentResult.MachineAlreadyEnrolled(Optional.of(MADE_UP)));
    }

    @Test
    void tokensAreListedNewestFirstWithoutTheirSecrets() {
        JoinTokenMetadata one = grant("a", "", 3);
        JoinTokenMetadata other = grant("b", "n1", 1);
        assertThat(store.listJoinTokens())
                .containsExactly(one, other); // made at the same moment: by id
        assertThat(store.listJoinTokens().toString()).doesNotContain(SECRET.value());
    }

    @Test
    @DisplayName("H4 of a thousand parallel attempts exactly max_uses get a certificate")
    void ofAThousandParallelAttemptsExactlyMaxUsesGetACertificate() throws Exception {
        grant("t", "", 7);
        List<Callable<EnrollmentResult>> attempts =
                IntStream.range(0, 1_000)
                        .<Callable<EnrollmentResult>>mapToObj(
                                i -> () -> enroll(showing("t", "k" + i, new NodeId("n" + i))))
                        .toList();

        List<EnrollmentResult> answers = inParallel(attempts);

        assertThat(answers)
                .filteredOn(EnrollmentResult.EnrolledWithCertificate.class::isInstance)
                .hasSize(7);
        assertThat(answers)
                .filteredOn(EnrollmentResult.UnusableToken.class::isInstance)
                .hasSize(993);
        assertThat(store.listJoinTokens().getFirst().uses()).isEqualTo(7);
        assertThat(known()).hasSize(7);
    }

    @Test
    @DisplayName("H4 one key that asks many times at once gets one certificate")
    void parallelRequestsOfOneKeyGetOneCertificate() throws Exception {
        grant("t", "", 7);
        List<Callable<EnrollmentResult>> attempts =
                IntStream.range(0, 64)
                        .<Callable<EnrollmentResult>>mapToObj(
                                i -> () -> enroll(showing("t", "k", new NodeId("n" + i))))
                        .toList();

        Set<String> serials =
                inParallel(attempts).stream()
                        .map(answer -> given(answer).serial())
                        .collect(Collectors.toSet());

        assertThat(serials).hasSize(1);
        assertThat(store.listJoinTokens().getFirst().uses()).isEqualTo(1);
        assertThat(known()).hasSize(1);
    }

    IssuedCertificate renewed(String serial, String key) {
        return certificates
                .renew(
                        serial,
                        Digest.of(key),
                        (node, generation) -> certificate(node, generation, key))
                .orElseThrow();
    }

    IssuedCertificate certificate(NodeId node, long generation, String key) {
        return new IssuedCertificate(
                node,
                generation,
                key + "-" + generation,
                Digest.of(key),
                now.plusSeconds(86_400),
                "pem");
    }

    PresentedCertificate show(String serial) {
        return certificates.recordPresentedAndLockCopied(serial).orElseThrow().certificate();
    }

    IssuedCertificate enrolled() {
        grant("t", "n1", 1);
        return given(enroll("t", "k1"));
    }

    @Test
    void certificateIdentifiesItsNode() {
        IssuedCertificate given = enrolled();

        NodeCertificateStore.PresentedIdentity shown =
                certificates.recordPresentedAndLockCopied(given.serial()).orElseThrow();

        assertThat(shown.node()).isEqualTo(known().getFirst());
        assertThat(shown.certificate().validityAt(shown.now())).isEqualTo(new Validity.Valid());
        assertThat(certificates.recordPresentedAndLockCopied("none")).isEmpty();
    }

    @Test
    @DisplayName("the newest is what was shown, not what was given: a reply may have been lost")
    void theNewestIsWhatWasShown() {
        IssuedCertificate first = enrolled();
        var _ = show(first.serial());
        IssuedCertificate second = renewed(first.serial(), "k2");
        var _ = renewed(first.serial(), "k3"); // given, and lost
        assertThat(second.generation()).isEqualTo(2);
        assertThat(show(first.serial()).latestGeneration()).isEqualTo(1);

        assertThat(show(second.serial()).latestGeneration()).isEqualTo(2);
        assertThat(show(first.serial()).latestGeneration()).isEqualTo(2);
        assertThat(show(first.serial()).generation()).isEqualTo(1);
    }

    @Test
    void sameKeyIsRenewedOnce() {
        IssuedCertificate first = enrolled();
        assertThat(renewed(first.serial(), "k2")).isEqualTo(renewed(first.serial(), "k2"));
        assertThat(renewed(first.serial(), "k3").generation()).isEqualTo(3);
    }

    @Test
    void anOldCertificateAndTooManyUnshownOnesAreNotRenewed() {
        IssuedCertificate first = enrolled();
        var _ = show(first.serial());
        for (int i = 0; i < NodeCertificateStore.MAX_UNUSED; i++) {
            var _ = renewed(first.serial(), "many" + i);
        }
        assertThat(validate(first)).isEmpty();
        var _ = show("many0-2");
        assertThat(validate(first)).as("an old one").isEmpty();
    }

    Optional<IssuedCertificate> validate(IssuedCertificate shown) {
        return certificates.renew(
                shown.serial(), Digest.of("another"), (_, _) -> Assertions.fail("none is made"));
    }

    private static List<EnrollmentResult> inParallel(List<Callable<EnrollmentResult>> attempts)
            throws InterruptedException, ExecutionException {
        List<EnrollmentResult> answers = new ArrayList<>();
        try (ExecutorService many = Executors.newFixedThreadPool(16)) {
            for (Future<EnrollmentResult> each : many.invokeAll(attempts)) {
                answers.add(each.get());
            }
        }
        return answers;
    }
}
