package drover.trust.release;

import static drover.trust.release.SigningFixture.ANN;
import static drover.trust.release.SigningFixture.BEN;
import static drover.trust.release.SigningFixture.CAT;
import static drover.trust.release.SigningFixture.EVE;
import static drover.trust.release.SigningFixture.NOW;
import static drover.trust.release.SigningFixture.signed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.model.NodeId;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CommandVerifierTest {
    private static final SigningKey ONLINE = SigningKey.create();
    private static final Root ROOT =
            SigningFixture.commanding(SigningFixture.twoOfThree(), 1, ONLINE);
    private static final Digest BODY = Digest.of("body");
    private static final Instant UNTIL = NOW.plus(CommandVerifier.VALIDITY);
    private static final CommandAuthorization AUTHORIZATION =
            new CommandAuthorization(SignedMessageKind.COMMAND, BODY, 7, UNTIL);
    private static final Envelope GOOD = signed(AUTHORIZATION.toUnsignedEnvelope(), ONLINE);

    private static CommandAuthorization verify(byte[] envelope, Root root, Instant now) {
        return CommandVerifier.verify(SignedMessageKind.COMMAND, BODY, envelope, root, now);
    }

    @ParameterizedTest
    @EnumSource(SignedMessageKind.class)
    void trustsWhatTheOnlineKeySigned(SignedMessageKind order) {
        CommandAuthorization authorization = new CommandAuthorization(order, BODY, 7, UNTIL);
        byte[] envelope = signed(authorization.toUnsignedEnvelope(), ONLINE).bytes();
        assertThat(CommandVerifier.verify(order, BODY, envelope, ROOT, NOW))
                .isEqualTo(authorization);
    }

    @ParameterizedTest
    @EnumSource(SignedMessageKind.class)
    @DisplayName("H8: what is signed as one kind of thing is worth nothing as another")
    void eachKindIsOneOfItsOwn(SignedMessageKind order) {
        for (SignedMessageKind other : SignedMessageKind.values()) {
            byte[] envelope =
                    signed(
                                    new CommandAuthorization(other, BODY, 7, UNTIL)
                                            .toUnsignedEnvelope(),
                                    ONLINE)
                            .bytes();
            if (other != order) {
                refused(
                        RejectionReason.WRONG_TYPE,
                        () -> CommandVerifier.verify(order, BODY, envelope, ROOT, NOW));
            }
        }
    }

    /** Each is the good envelope with one thing wrong in it. */
    static Stream<Arguments> forgeries() {
        String payload = new String(GOOD.payload(), StandardCharsets.UTF_8);
        return Stream.of(
                bad("nothing", RejectionReason.UNSIGNED, ""),
                bad("nobody signed", RejectionReason.UNSIGNED, AUTHORIZATION.toUnsignedEnvelope()),
                bad(
                        "a stranger",
                        RejectionReason.WRONG_KEY,
                        signed(AUTHORIZATION.toUnsignedEnvelope(), EVE)),
                bad(
                        "people who sign releases",
                        RejectionReason.WRONG_KEY,
                        signed(AUTHORIZATION.toUnsignedEnvelope(), ANN, BEN)),
                bad(
                        "a stranger under the trusted name",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        text(signed(AUTHORIZATION.toUnsignedEnvelope(), EVE))
                                .replace(EVE.id().value(), ONLINE.id().value())),
                bad(
                        "the payload of another epoch",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        text(GOOD)
                                .replace(
                                        base64(GOOD),
                                        base64(
                                                new CommandAuthorization(
                                                                SignedMessageKind.COMMAND,
                                                                BODY,
                                                                8,
                                                                UNTIL)
                                                        .toUnsignedEnvelope()))),
                bad(
                        "another body",
                        RejectionReason.ALTERED,
                        signed(
                                new CommandAuthorization(
                                                SignedMessageKind.COMMAND,
                                                Digest.of("other"),
                                                7,
                                                UNTIL)
                                        .toUnsignedEnvelope(),
                                ONLINE)),
                bad(
                        "a time that is over",
                        RejectionReason.EXPIRED,
                        signed(
                                new CommandAuthorization(SignedMessageKind.COMMAND, BODY, 7, NOW)
                                        .toUnsignedEnvelope(),
                                ONLINE)),
                bad("rubbish", RejectionReason.MALFORMED, "rubbish"),
                bad(
                        "too large",
                        RejectionReason.MALFORMED,
                        " ".repeat(CommandAuthorization.LARGEST) + text(GOOD)),
                signedBad("a field more", payload.replaceFirst("\\{", "{\"more\": 1,")),
                signedBad("a field less", payload.replaceFirst("\"epoch\": 7,", "")),
                signedBad("a field twice", payload.replaceFirst("\\{", "{\"epoch\": 9,")),
                signedBad("a negative epoch", payload.replace("\"epoch\": 7", "\"epoch\": -7")),
                signedBad("a digest that is none", payload.replace(BODY.value(), "sha1:12")),
                signedBad("a time written in another way", payload.replace("00Z", "00+00:00")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forgeries")
    @DisplayName("H8: whatever is wrong with it, it is refused, and the attack is named")
    void refusesEveryForgery(String name, RejectionReason attack, byte[] envelope) {
        refused(attack, () -> verify(envelope, ROOT, NOW));
    }

    @Test
    void isGoodUntilItsTimeAndNoLonger() {
        assertThat(verify(GOOD.bytes(), ROOT, UNTIL.minusSeconds(1))).isEqualTo(AUTHORIZATION);
        refused(RejectionReason.EXPIRED, () -> verify(GOOD.bytes(), ROOT, UNTIL));
    }

    @Test
    @DisplayName("A root that is over ends no way back: what is new asks for its release anyway")
    void ignoresTheExpiryOfTheRoot() {
        Instant over = ROOT.expires().plusSeconds(1);
        CommandAuthorization then =
                new CommandAuthorization(SignedMessageKind.COMMAND, BODY, 7, over.plusSeconds(1));
        assertThat(verify(signed(then.toUnsignedEnvelope(), ONLINE).bytes(), ROOT, over))
                .isEqualTo(then);
    }

    @Test
    @DisplayName("Roots from before there was this role stay good, and let nobody command")
    void rootWithoutTheRoleTrustsNoCommandKey() {
        Root before = SigningFixture.twoOfThree();
        assertThat(Root.parse(before.toUnsignedEnvelope().payload())).isEqualTo(before);
        assertThat(new String(before.toUnsignedEnvelope().payload(), StandardCharsets.UTF_8))
                .doesNotContain("command");
        refused(RejectionReason.WRONG_KEY, () -> verify(GOOD.bytes(), before, NOW));
    }

    @Test
    void theRoleIsReadAsItWasWritten() {
        assertThat(Root.parse(ROOT.toUnsignedEnvelope().payload())).isEqualTo(ROOT);
    }

    @Test
    void requiresTheThresholdOfTheRoot() {
        SigningKey second = SigningKey.create();
        Root two = SigningFixture.commanding(SigningFixture.twoOfThree(), 2, ONLINE, second);
        refused(RejectionReason.TOO_FEW_SIGNATURES, () -> verify(GOOD.bytes(), two, NOW));
        assertThat(verify(GOOD.withSignature(second).bytes(), two, NOW)).isEqualTo(AUTHORIZATION);
    }

    @Test
    @DisplayName("E7: no key signs both commands and what people sign")
    void refusesAKeyOfTwoRoles() {
        refused(
                RejectionReason.MALFORMED,
                () -> SigningFixture.commanding(SigningFixture.twoOfThree(), 1, ONLINE, CAT));
    }

    @Test
    @DisplayName("After a rotation the key that left commands nobody any more")
    void rotatedKeySignsNoCommand() {
        SigningKey next = SigningKey.create();
        Root second =
                SigningFixture.commanding(
                        SigningFixture.root(2, NOW.plusSeconds(9_000), 2, ANN, BEN, CAT), 1, next);
        TrustChain chain =
                TrustChain.of(signed(ROOT.toUnsignedEnvelope(), ANN, BEN))
                        .withNextRoot(signed(second.toUnsignedEnvelope(), ANN, BEN));
        Root now = TrustChain.parseRoot(chain.verify());
        refused(RejectionReason.WRONG_KEY, () -> verify(GOOD.bytes(), now, NOW));
        assertThat(verify(signed(AUTHORIZATION.toUnsignedEnvelope(), next).bytes(), now, NOW))
                .isEqualTo(AUTHORIZATION);
    }

    @Test
    @DisplayName("Subjects name the node, so that they are worth nothing at another")
    void subjectsNameTheNode() {
        NodeId one = new NodeId("node-1");
        NodeId other = new NodeId("node-2");
        assertThat(
                        Stream.of(
                                CommandAuthorization.withdrawalDigest(one, 5),
                                CommandAuthorization.withdrawalDigest(other, 5),
                                CommandAuthorization.withdrawalDigest(one, 6),
                                CommandAuthorization.handoverStopDigest(one, 5, ""),
                                CommandAuthorization.handoverStopDigest(other, 5, ""),
                                CommandAuthorization.handoverStopDigest(one, 5, BODY.value())))
                .doesNotHaveDuplicates();
    }

    private static void refused(
            RejectionReason attack, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        NotTrusted.class,
                        refused -> {
                            assertThat(refused.reason()).isEqualTo(attack);
                            assertThat(refused.sentence()).endsWith(".");
                        });
    }

    private static Arguments bad(String name, RejectionReason attack, Envelope envelope) {
        return Arguments.of(name, attack, envelope.bytes());
    }

    private static Arguments bad(String name, RejectionReason attack, String envelope) {
        return Arguments.of(name, attack, envelope.getBytes(StandardCharsets.UTF_8));
    }

    /** Signed by the online key, which should not have. */
    private static Arguments signedBad(String name, String payload) {
        assertThat(payload)
                .as(name)
                .isNotEqualTo(new String(GOOD.payload(), StandardCharsets.UTF_8));
        return bad(
                name,
                RejectionReason.MALFORMED,
                signed(
                        Envelope.unsigned(GOOD.type(), payload.getBytes(StandardCharsets.UTF_8)),
                        ONLINE));
    }

    private static String text(Envelope envelope) {
        return new String(envelope.bytes(), StandardCharsets.UTF_8);
    }

    private static String base64(Envelope envelope) {
        return java.util.Base64.getEncoder().encodeToString(envelope.payload());
    }
}
