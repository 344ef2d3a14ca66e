package drover.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.identity.BlockReason;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.identity.PresentedCertificate.Validity;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What ends certificates, tokens and join tokens, whatever they are kept in. */
abstract class RevocationContract extends EnrollmentStoreContract {
    @Test
    @DisplayName(
            "H3 for a revoked node nobody speaks, by token or certificate, until it is enrolled")
    void revokedNodeCannotConnect() {
        IssuedCertificate first = enrolled();
        NodeId node = first.node();
        var _ = nodes.register(known().getFirst(), Digest.of("token"));
        assertThat(over("token")).isEmpty();

        assertThat(certificates.revokeNode(node, "key:boss"))
                .contains(new NodeRevocationCounts(1, 0));
        assertThat(over("token")).containsExactlyInAnyOrder(certificate(first), token("token"));
        assertThat(nodes.findTokenOwner(Digest.of("token"))).isEmpty();
        assertThat(show(first.serial()).blockReason()).contains(BlockReason.REVOKED);
        assertThat(stored(node).blockReason()).contains(BlockReason.REVOKED);
        assertThat(certificates.listLockedNodes()).as("nobody copied it").isEmpty();
        assertThat(validate(first)).isEmpty();
        var _ = nodes.register(known().getFirst(), Digest.of("token"));
        assertThat(over("token")).as("the same token again").contains(token("token"));
        assertThat(certificates.revokeNode(node, "key:boss"))
                .contains(new NodeRevocationCounts(0, 0));
        assertThat(certificates.revokeNode(new NodeId("nobody"), "key:boss")).isEmpty();

        grant("t2", "n1", 1);
        IssuedCertificate reissued = given(enroll("t2", "k9"));
        assertThat(stored(node).blockReason()).isEmpty();
        assertThat(show(reissued.serial()).blockReason()).isEmpty();
        assertThat(over("token"))
                .as("what the other machine has, which is remembered")
                .containsExactlyInAnyOrder(certificate(first), token("token"));
    }

    @Test
    @DisplayName("H3 a node that is revoked is let in by none of the tokens that were made before")
    void joinTokensThatNameARevokedNodeAreEndedWithIt() {
        var _ = enrolled();
        grant("spare", "n1", 1);
        grant("of-another", "n2", 1);
        grant("of-none", "", 1);

        assertThat(certificates.revokeNode(new NodeId("n1"), "key:boss"))
                .contains(new NodeRevocationCounts(1, 1));
        assertSpent(enroll("spare", "k7"), "revoked");
        assertThat(store.listJoinTokens())
                .filteredOn(token -> token.revokedBy().equals("key:boss"))
                .extracting(JoinTokenMetadata::id)
                .containsExactly("spare");
        assertThat(given(enroll("of-another", "k8")).node()).isEqualTo(new NodeId("n2"));
        assertThat(given(enroll("of-none", "k9")).node()).isEqualTo(MADE_UP);
    }

    @Test
    @DisplayName("H3 enrolling a machine anew ends what the other one was let in with")
    void enrollingAgainEndsTheCertificatesOfTheOtherMachine() {
        IssuedCertificate first = enrolled();
        IssuedCertificate second = renewed(first.serial(), "k2");
        assertThat(over()).isEmpty();

        grant("t2", "n1", 1);
        var _ = given(enroll("t2", "k9"));

        assertThat(over()).containsExactlyInAnyOrder(certificate(first), certificate(second));
    }

    @Test
    @DisplayName("H3 retiring a node ends its certificates, for good")
    void retiringANodeEndsItsCertificates() {
        IssuedCertificate first = enrolled();
        var _ = nodes.retire(first.node());
        assertThat(over()).containsExactly(certificate(first));

        var _ = nodes.register(stored(first.node()).node(), Digest.of("token"));
        assertThat(show(first.serial()).revoked()).as("in service again, by a token").isTrue();
        assertThat(over("token")).containsExactly(certificate(first));
    }

    @Test
    @DisplayName("H3 a token that was exchanged is over, also for whoever is connected with it")
    void aTokenThatWasExchangedIsOver() {
        var _ = enrolled();
        var _ = nodes.register(known().getFirst(), Digest.of("token"));
        var _ = nodes.register(known().getFirst(), Digest.of("another"));
        assertThat(over("token", "another")).containsExactly(token("token"));
    }

    @Test
    @DisplayName("SECURITY 4: whoever shows a copy locks the node, until it is enrolled anew")
    void clonedIdentityLocksTheNode() {
        IssuedCertificate first = enrolled();
        IssuedCertificate second = renewed(first.serial(), "k2");
        var _ = show(second.serial());
        var _ = show(first.serial());
        assertThat(certificates.listLockedNodes()).as("it may have crossed").isEmpty();

        twoMinutesPass();
        NodeCertificateStore.PresentedIdentity copy =
                certificates.recordPresentedAndLockCopied(first.serial()).orElseThrow();

        assertThat(copy.certificate().validityAt(copy.now()))
                .isEqualTo(new Validity.PossiblyCopied());
        assertThat(certificates.listLockedNodes()).containsExactly(first.node());
        assertThat(stored(first.node()).blockReason()).contains(BlockReason.COPIED);
        assertThat(over()).containsExactlyInAnyOrder(certificate(first), certificate(second));
        grant("t2", "n1", 1);
        var _ = given(enroll("t2", "k9"));
        assertThat(certificates.listLockedNodes()).isEmpty();
        var _ = show(first.serial());
        assertThat(certificates.listLockedNodes()).as("the copy was ended by name").isEmpty();
    }

    /** As far as the stores know. */
    abstract void twoMinutesPass();

    private Set<StreamCredential> over(String... tokens) {
        return certificates.findRevokedCredentials(
                Stream.of(tokens)
                        .map(token -> new StreamCredential.NodeTokenDigest(Digest.of(token)))
                        .toList());
    }

    private static StreamCredential certificate(IssuedCertificate given) {
        return new StreamCredential.Certificate(given.serial());
    }

    private static StreamCredential token(String token) {
        return new StreamCredential.NodeTokenDigest(Digest.of(token));
    }

    private NodeStore.StoredNode stored(NodeId node) {
        return nodes.list(new NodeStore.Query("", "", List.of(node), "", 1)).getFirst();
    }

    @Test
    @DisplayName("H3 a stolen token lets nobody in because its revoked node was retired")
    void aRevokedTokenStaysOverWhenItsNodeIsRetired() {
        var _ = enrolled();
        NodeIdentity own = known().getFirst();
        var _ = nodes.register(own, Digest.of("token"));
        var _ = certificates.revokeNode(new NodeId("n1"), "key:boss");
        var _ = nodes.retire(new NodeId("n1"));

        assertThat(nodes.register(own, Digest.of("token")))
                .as("as each start brings it")
                .isInstanceOf(NodeStore.NodeRegistrationResult.Registered.class);
        assertThat(nodes.findTokenOwner(Digest.of("token"))).isEmpty();
        assertThat(stored(new NodeId("n1")).blockReason()).contains(BlockReason.REVOKED);
    }

    @Test
    @DisplayName("H3 nor because it had been retired before it was revoked")
    void aTokenStaysOverWhenItsNodeIsRevokedAfterItWasRetired() {
        var _ = enrolled();
        NodeIdentity own = known().getFirst();
        var _ = nodes.register(own, Digest.of("token"));
        var _ = nodes.retire(new NodeId("n1"));
        var _ = certificates.revokeNode(new NodeId("n1"), "key:boss");

        var _ = nodes.register(own, Digest.of("token"));
        assertThat(nodes.findTokenOwner(Digest.of("token"))).isEmpty();
        assertThat(stored(new NodeId("n1")).blockReason()).contains(BlockReason.REVOKED);
    }

    @Test
    @DisplayName("H3 a token that was revoked is taken by no node again, not by its own either")
    void revokedTokenIsNeverAcceptedAgain() {
        var _ = enrolled();
        NodeIdentity own = known().getFirst();
        var _ = nodes.register(own, Digest.of("token"));
        var _ = certificates.revokeNode(new NodeId("n1"), "key:boss");
        NodeIdentity another =
                new NodeIdentity(new NodeId("n2"), own.chain(), own.type(), own.labels());
        assertThat(nodes.register(another, Digest.of("token")))
                .isEqualTo(new NodeStore.NodeRegistrationResult.NodeTokenRevoked());

        grant("t2", "n1", 1);
        var _ = given(enroll("t2", "k9"));
        assertThat(nodes.register(own, Digest.of("token")))
                .as("enrolled anew")
                .isEqualTo(new NodeStore.NodeRegistrationResult.NodeTokenRevoked());
        assertThat(nodes.register(own, Digest.of("next")))
                .isInstanceOf(NodeStore.NodeRegistrationResult.Registered.class);
        assertThat(nodes.register(own, Digest.of("token")))
                .as("registered with another one")
                .isEqualTo(new NodeStore.NodeRegistrationResult.NodeTokenRevoked());
        assertThat(nodes.findTokenOwner(Digest.of("token"))).isEmpty();
        assertThat(nodes.findTokenOwner(Digest.of("next"))).isPresent();
    }

    @Test
    @DisplayName("H3 a lock ends the node's join tokens: whoever copied the identity may have them")
    void aLockEndsTheNodesJoinTokens() {
        IssuedCertificate first = enrolled();
        IssuedCertificate second = renewed(first.serial(), "k2");
        var _ = show(second.serial());
        twoMinutesPass();
        grant("t2", "n1", 1);
        grant("another", "n2", 1);
        var _ = show(first.serial());
        assertThat(stored(new NodeId("n1")).blockReason()).contains(BlockReason.COPIED);

        assertSpent(enroll("t2", "k8"), "revoked");
        assertThat(given(enroll("another", "k8")).node()).isEqualTo(new NodeId("n2"));
        grant("t3", "n1", 1);
        assertThat(given(enroll("t3", "k9")).generation()).as("made afterwards").isEqualTo(3);
    }

    @Test
    @DisplayName("D-154: a node that shows certificates is registered without a token, again too")
    void aNodeThatShowsCertificatesIsRegisteredWithoutAToken() {
        var _ = enrolled();
        NodeIdentity own = known().getFirst();
        var _ = nodes.register(own, Digest.of("token"));
        assertRegistered(own);
        assertThat(nodes.findTokenOwner(Digest.of("token"))).as("over").isEmpty();

        var _ = nodes.register(own, Digest.of("token"));
        var _ = certificates.revokeNode(own.id(), "key:boss");
        assertRegistered(own);
        assertThat(stored(own.id()).blockReason())
                .as("preparing lets nobody in")
                .contains(BlockReason.REVOKED);
        grant("t2", "n1", 1);
        var _ = given(enroll("t2", "k9"));
        assertThat(nodes.register(own, Digest.of("token")))
                .isEqualTo(new NodeStore.NodeRegistrationResult.NodeTokenRevoked());
        assertRegistered(own);
        assertThat(stored(own.id()).blockReason()).isEmpty();
    }

    @Test
    @DisplayName(
            "D-154: a node that was retired stays so when it is registered to show certificates")
    void aRetiredNodeIsBroughtBackByEnrollmentAlone() {
        var _ = enrolled();
        NodeIdentity own = known().getFirst();
        var _ = nodes.retire(own.id());

        assertThat(nodes.registerCertified(own))
                .isInstanceOfSatisfying(
                        NodeStore.NodeRegistrationResult.Registered.class,
                        registered -> assertThat(registered.node().retiredAt()).isPresent());
        assertThat(known()).isEmpty();

        grant("t3", "n1", 1);
        var _ = given(enroll("t3", "k3"));
        assertThat(known()).containsExactly(own);
        assertRegistered(own);
        assertThat(known()).containsExactly(own);
    }

    @Test
    void aNodeThatShowsCertificatesKeepsItsIdentity() {
        var _ = enrolled();
        NodeIdentity own = known().getFirst();
        NodeIdentity other =
                new NodeIdentity(own.id(), new ChainProfileId("x"), own.type(), own.labels());
        assertThat(nodes.registerCertified(other))
                .isEqualTo(new NodeStore.NodeRegistrationResult.ChainOrTypeConflict(own));
        NodeIdentity fresh =
                new NodeIdentity(new NodeId("n2"), own.chain(), own.type(), own.labels());
        assertRegistered(fresh);
        assertThat(known()).containsExactly(own, fresh);
    }

    private void assertRegistered(NodeIdentity node) {
        assertThat(nodes.registerCertified(node))
                .isInstanceOf(NodeStore.NodeRegistrationResult.Registered.class);
    }

    @Test
    void aRevokedNodeThatIsRegisteredWithAnotherTokenIsInServiceAgain() {
        var _ = enrolled();
        var _ = nodes.register(known().getFirst(), Digest.of("token"));
        var _ = certificates.revokeNode(new NodeId("n1"), "key:boss");
        var _ = nodes.register(known().getFirst(), Digest.of("another"));
        assertThat(nodes.findTokenOwner(Digest.of("another"))).isPresent();
        assertThat(stored(new NodeId("n1")).blockReason()).isEmpty();
    }
}
