package drover.trust.release;

import static drover.trust.release.SigningFixture.ANN;
import static drover.trust.release.SigningFixture.BEN;
import static drover.trust.release.SigningFixture.CAT;
import static drover.trust.release.SigningFixture.EVE;
import static drover.trust.release.SigningFixture.NOW;
import static drover.trust.release.SigningFixture.root;
import static drover.trust.release.SigningFixture.signed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TrustChainTest {
    private static final Instant LATER = NOW.plus(Duration.ofDays(365));
    private static final Envelope FIRST =
            signed(root(1, LATER, 2, ANN, BEN, CAT).toUnsignedEnvelope(), ANN, BEN);

    /** Ann leaves, Eve comes. */
    private static final Envelope SECOND =
            signed(root(2, LATER, 2, BEN, CAT, EVE).toUnsignedEnvelope(), BEN, CAT);

    private static final Envelope THIRD =
            signed(root(3, LATER, 1, EVE).toUnsignedEnvelope(), EVE, BEN);

    @Test
    @DisplayName("A rotation is followed when enough of the old and of the new keys signed it")
    void followsARotation() {
        TrustChain chain = TrustChain.of(FIRST).withNextRoot(SECOND).withNextRoot(THIRD);
        TrustChain read = TrustChain.parseUnverified(chain.bytes());
        assertThat(TrustChain.parseRoot(read.verify()).version()).isEqualTo(3);
        assertThat(TrustChain.parseRoot(read.verifyFrom(FIRST)).version()).isEqualTo(3);
        assertThat(TrustChain.parseRoot(read.verifyFrom(SECOND)).keys()).containsOnlyKeys(EVE.id());
        assertThat(TrustChain.parseRoot(TrustChain.of(THIRD).verifyFrom(SECOND)).version())
                .isEqualTo(3);
    }

    @Test
    @DisplayName("After a rotation the keys that left sign nothing any more")
    void theKeysThatLeftSignNothing() {
        Root now = TrustChain.parseRoot(TrustChain.of(FIRST).withNextRoot(SECOND).verify());
        byte[] byTheOld =
                signed(SigningFixture.release(1, 0, false).toUnsignedEnvelope(), ANN, BEN).bytes();
        refused(
                RejectionReason.TOO_FEW_SIGNATURES,
                () -> ReleaseVerifier.verify(byTheOld, now, NOW));
        byte[] byTheNew =
                signed(SigningFixture.release(1, 0, false).toUnsignedEnvelope(), EVE, BEN).bytes();
        assertThat(ReleaseVerifier.verify(byTheNew, now, NOW).signers()).hasSize(2);
    }

    @Test
    void refusesARotationThatTheOldKeysDidNotSign() {
        Envelope byTheNew = signed(root(2, LATER, 1, EVE).toUnsignedEnvelope(), EVE);
        refused(
                RejectionReason.WRONG_KEY,
                () -> TrustChain.of(FIRST).withNextRoot(byTheNew).verifyFrom(FIRST));
        Envelope byOneOfTwo = signed(root(2, LATER, 1, EVE).toUnsignedEnvelope(), EVE, ANN);
        refused(
                RejectionReason.TOO_FEW_SIGNATURES,
                () -> TrustChain.of(FIRST).withNextRoot(byOneOfTwo).verifyFrom(FIRST));
    }

    @Test
    void refusesARotationThatTheNewKeysDidNotSign() {
        Envelope byTheOld = signed(root(2, LATER, 1, EVE).toUnsignedEnvelope(), ANN, BEN);
        refused(
                RejectionReason.WRONG_KEY,
                () -> TrustChain.of(FIRST).withNextRoot(byTheOld).verifyFrom(FIRST));
    }

    @Test
    void refusesAFirstRootThatIsNotSigned() {
        Envelope one = signed(root(1, LATER, 2, ANN, BEN).toUnsignedEnvelope(), ANN);
        refused(RejectionReason.TOO_FEW_SIGNATURES, () -> TrustChain.of(one).verify());
    }

    @Test
    @DisplayName("E6: a file that ends before the root that was seen is refused")
    void refusesAnOlderFile() {
        refused(RejectionReason.ROLLBACK, () -> TrustChain.of(FIRST).verifyFrom(SECOND));
    }

    @Test
    void refusesAGapBetweenRoots() {
        refused(RejectionReason.ROLLBACK, () -> TrustChain.of(THIRD).verifyFrom(FIRST));
        refused(RejectionReason.ROLLBACK, () -> TrustChain.of(FIRST).withNextRoot(THIRD).verify());
    }

    @Test
    void refusesAnotherRootOfTheSameVersion() {
        Envelope beside = signed(root(2, LATER, 1, ANN, BEN).toUnsignedEnvelope(), ANN, BEN);
        refused(
                RejectionReason.MIX_AND_MATCH,
                () -> TrustChain.of(FIRST).withNextRoot(beside).verifyFrom(SECOND));
    }

    @Test
    void refusesAReleaseInARootsPlace() {
        Envelope release =
                signed(SigningFixture.release(1, 0, false).toUnsignedEnvelope(), ANN, BEN);
        refused(RejectionReason.WRONG_TYPE, () -> TrustChain.of(release).verify());
    }

    @Test
    void refusesWhatIsWrittenInAnotherWay() {
        String good = new String(FIRST.payload(), StandardCharsets.UTF_8);
        for (String bad :
                new String[] {
                    good.replaceFirst("\\{", "{\"more\": 1,"),
                    good.replace("\"threshold\": 2", "\"threshold\": 4"),
                    good.replace("\"threshold\": 2", "\"threshold\": 0"),
                    good.replaceFirst(ANN.id().value(), EVE.id().value()),
                    good.replace("\"release\": {", "\"timestamp\": {}, \"release\": {"),
                    good.replace("drover.root", "drover.release")
                }) {
            assertThat(bad).isNotEqualTo(good);
            Envelope envelope =
                    signed(
                            Envelope.unsigned(Envelope.ROOT, bad.getBytes(StandardCharsets.UTF_8)),
                            ANN,
                            BEN);
            assertThatThrownBy(() -> TrustChain.of(envelope).verify())
                    .as(bad)
                    .isInstanceOf(NotTrusted.class);
        }
        refused(
                RejectionReason.MALFORMED,
                () ->
                        TrustChain.parseUnverified(
                                "{\"roots\": []}".getBytes(StandardCharsets.UTF_8)));
        refused(
                RejectionReason.MALFORMED,
                () -> TrustChain.parseUnverified(new byte[TrustChain.LARGEST + 1]));
    }

    private static void refused(
            RejectionReason attack, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        NotTrusted.class,
                        refused -> assertThat(refused.reason()).isEqualTo(attack));
    }
}
