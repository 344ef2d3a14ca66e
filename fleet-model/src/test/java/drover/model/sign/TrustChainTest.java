package drover.model.sign;

import static drover.model.sign.Signers.ANN;
import static drover.model.sign.Signers.BEN;
import static drover.model.sign.Signers.CAT;
import static drover.model.sign.Signers.EVE;
import static drover.model.sign.Signers.NOW;
import static drover.model.sign.Signers.root;
import static drover.model.sign.Signers.signed;
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
            signed(root(1, LATER, 2, ANN, BEN, CAT).envelope(), ANN, BEN);

    /** Ann leaves, Eve comes. */
    private static final Envelope SECOND =
            signed(root(2, LATER, 2, BEN, CAT, EVE).envelope(), BEN, CAT);

    private static final Envelope THIRD = signed(root(3, LATER, 1, EVE).envelope(), EVE, BEN);

    @Test
    @DisplayName("A rotation is followed when enough of the old and of the new keys signed it")
    void followsARotation() {
        TrustChain chain = TrustChain.of(FIRST).with(SECOND).with(THIRD);
        TrustChain read = TrustChain.parse(chain.bytes());
        assertThat(TrustChain.root(read.followed()).version()).isEqualTo(3);
        assertThat(TrustChain.root(read.followedFrom(FIRST)).version()).isEqualTo(3);
        assertThat(TrustChain.root(read.followedFrom(SECOND)).keys()).containsOnlyKeys(EVE.id());
        assertThat(TrustChain.root(TrustChain.of(THIRD).followedFrom(SECOND)).version())
                .isEqualTo(3);
    }

    @Test
    @DisplayName("After a rotation the keys that left sign nothing any more")
    void theKeysThatLeftSignNothing() {
        Root now = TrustChain.root(TrustChain.of(FIRST).with(SECOND).followed());
        byte[] byTheOld = signed(Signers.release(1, 0, false).envelope(), ANN, BEN).bytes();
        refused(Attack.TOO_FEW_SIGNATURES, () -> ReleaseRules.verify(byTheOld, now, NOW));
        byte[] byTheNew = signed(Signers.release(1, 0, false).envelope(), EVE, BEN).bytes();
        assertThat(ReleaseRules.verify(byTheNew, now, NOW).signers()).hasSize(2);
    }

    @Test
    void refusesARotationThatTheOldKeysDidNotSign() {
        Envelope byTheNew = signed(root(2, LATER, 1, EVE).envelope(), EVE);
        refused(Attack.WRONG_KEY, () -> TrustChain.of(FIRST).with(byTheNew).followedFrom(FIRST));
        Envelope byOneOfTwo = signed(root(2, LATER, 1, EVE).envelope(), EVE, ANN);
        refused(
                Attack.TOO_FEW_SIGNATURES,
                () -> TrustChain.of(FIRST).with(byOneOfTwo).followedFrom(FIRST));
    }

    @Test
    void refusesARotationThatTheNewKeysDidNotSign() {
        Envelope byTheOld = signed(root(2, LATER, 1, EVE).envelope(), ANN, BEN);
        refused(Attack.WRONG_KEY, () -> TrustChain.of(FIRST).with(byTheOld).followedFrom(FIRST));
    }

    @Test
    void refusesAFirstRootThatIsNotSigned() {
        Envelope one = signed(root(1, LATER, 2, ANN, BEN).envelope(), ANN);
        refused(Attack.TOO_FEW_SIGNATURES, () -> TrustChain.of(one).followed());
    }

    @Test
    @DisplayName("E6: a file that ends before the root that was seen is refused")
    void refusesAnOlderFile() {
        refused(Attack.ROLLBACK, () -> TrustChain.of(FIRST).followedFrom(SECOND));
    }

    @Test
    void refusesAGapBetweenRoots() {
        refused(Attack.ROLLBACK, () -> TrustChain.of(THIRD).followedFrom(FIRST));
        refused(Attack.ROLLBACK, () -> TrustChain.of(FIRST).with(THIRD).followed());
    }

    @Test
    void refusesAnotherRootOfTheSameVersion() {
        Envelope beside = signed(root(2, LATER, 1, ANN, BEN).envelope(), ANN, BEN);
        refused(Attack.MIX_AND_MATCH, () -> TrustChain.of(FIRST).with(beside).followedFrom(SECOND));
    }

    @Test
    void refusesAReleaseInARootsPlace() {
        Envelope release = signed(Signers.release(1, 0, false).envelope(), ANN, BEN);
        refused(Attack.WRONG_TYPE, () -> TrustChain.of(release).followed());
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
            assertThatThrownBy(() -> TrustChain.of(envelope).followed())
                    .as(bad)
                    .isInstanceOf(NotTrusted.class);
        }
        refused(
                Attack.MALFORMED,
                () -> TrustChain.parse("{\"roots\": []}".getBytes(StandardCharsets.UTF_8)));
        refused(Attack.MALFORMED, () -> TrustChain.parse(new byte[TrustChain.LARGEST + 1]));
    }

    private static void refused(
            Attack attack, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        NotTrusted.class,
                        refused -> assertThat(refused.attack()).isEqualTo(attack));
    }
}
