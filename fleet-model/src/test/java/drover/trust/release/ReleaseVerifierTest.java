package drover.trust.release;

import static drover.trust.release.SigningFixture.AMD;
import static drover.trust.release.SigningFixture.ANN;
import static drover.trust.release.SigningFixture.ARM;
import static drover.trust.release.SigningFixture.BEN;
import static drover.trust.release.SigningFixture.CAT;
import static drover.trust.release.SigningFixture.EVE;
import static drover.trust.release.SigningFixture.NOW;
import static drover.trust.release.SigningFixture.release;
import static drover.trust.release.SigningFixture.signed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.program.BinaryName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReleaseVerifierTest {
    private static final Release RELEASE = release(7, 3, false);
    private static final Envelope GOOD = signed(RELEASE.toUnsignedEnvelope(), ANN, BEN);

    @Test
    void trustsWhatEnoughTrustedPeopleSigned() {
        ReleaseVerifier.VerifiedRelease verified =
                ReleaseVerifier.verify(GOOD.bytes(), SigningFixture.twoOfThree(), NOW);
        assertThat(verified.release()).isEqualTo(RELEASE);
        assertThat(verified.signers()).isEqualTo(SigningFixture.ids(ANN, BEN));
    }

    @Test
    void takesTheSameEnvelopeHoweverItIsLaidOut() {
        String oneLine = text(GOOD).replaceAll("\\s+", "");
        assertThat(
                        ReleaseVerifier.verify(
                                        oneLine.getBytes(StandardCharsets.UTF_8),
                                        SigningFixture.twoOfThree(),
                                        NOW)
                                .release())
                .isEqualTo(RELEASE);
    }

    /** Each is the good envelope with one thing wrong in it. */
    static Stream<Arguments> forgeries() {
        String payload = new String(GOOD.payload(), StandardCharsets.UTF_8);
        return Stream.of(
                bad(
                        "nobody signed",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        RELEASE.toUnsignedEnvelope()),
                bad(
                        "one of two",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        signed(RELEASE.toUnsignedEnvelope(), ANN)),
                bad(
                        "a stranger's key",
                        RejectionReason.WRONG_KEY,
                        signed(RELEASE.toUnsignedEnvelope(), EVE)),
                bad(
                        "one and a stranger",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        signed(RELEASE.toUnsignedEnvelope(), ANN, EVE)),
                bad("one who signs twice", RejectionReason.TOO_FEW_SIGNATURES, twice()),
                bad(
                        "a stranger under a trusted name",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        text(signed(RELEASE.toUnsignedEnvelope(), ANN, EVE))
                                .replace(EVE.id().value(), BEN.id().value())),
                bad(
                        "the payload of another release",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        text(GOOD)
                                .replace(
                                        base64(GOOD),
                                        base64(release(8, 3, false).toUnsignedEnvelope()))),
                bad(
                        "a root's kind",
                        RejectionReason.WRONG_TYPE,
                        kind(Envelope.ROOT, GOOD.payload())),
                bad(
                        "a kind of somebody else",
                        RejectionReason.WRONG_TYPE,
                        kind("application/vnd.in-toto+json", GOOD.payload())),
                bad(
                        "the kind exchanged behind the signatures",
                        RejectionReason.TOO_FEW_SIGNATURES,
                        text(kind(Envelope.ROOT, GOOD.payload()))
                                .replace("drover.root", "drover.release")),
                bad(
                        "a root in a release's envelope",
                        RejectionReason.WRONG_TYPE,
                        kind(
                                Envelope.RELEASE,
                                SigningFixture.twoOfThree().toUnsignedEnvelope().payload())),
                bad(
                        "an unknown field of the envelope",
                        RejectionReason.MALFORMED,
                        text(GOOD).replaceFirst("\\{", "{\"more\": 1,")),
                bad(
                        "a field of the envelope twice",
                        RejectionReason.MALFORMED,
                        text(GOOD).replaceFirst("\\{", "{\"payloadType\": \"x\",")),
                bad("something behind the end", RejectionReason.MALFORMED, text(GOOD) + "{}"),
                bad("half of it", RejectionReason.MALFORMED, text(GOOD).substring(0, 200)),
                bad("nothing", RejectionReason.MALFORMED, ""),
                bad("a list", RejectionReason.MALFORMED, "[]"),
                bad("far too deep", RejectionReason.MALFORMED, "[".repeat(100_000)),
                bad(
                        "too large",
                        RejectionReason.MALFORMED,
                        " ".repeat(Release.MAX_BYTES) + text(GOOD)),
                bad(
                        "base64 with bits that say nothing",
                        RejectionReason.MALFORMED,
                        text(GOOD).replaceFirst("\"sig\": \"(.{85}).==\"", "\"sig\": \"$1B==\"")),
                signedBad("an unknown field", payload.replaceFirst("\\{", "{\"more\": 1,")),
                signedBad("a field twice", payload.replaceFirst("\\{", "{\"counter\": 9,")),
                signedBad("a field missing", payload.replaceFirst("\"floor\": 3,", "")),
                signedBad(
                        "a text for a number",
                        payload.replace("\"counter\": 7", "\"counter\": \"7\"")),
                signedBad("a fraction", payload.replace("\"counter\": 7", "\"counter\": 7.0")),
                signedBad("a padded number", payload.replace("\"counter\": 7", "\"counter\": 07")),
                signedBad(
                        "a negative counter", payload.replace("\"counter\": 7", "\"counter\": -7")),
                signedBad(
                        "a huge number",
                        payload.replace("\"counter\": 7", "\"counter\": 99999999999999999999")),
                signedBad("null", payload.replace("\"floor\": 3", "\"floor\": null")),
                signedBad(
                        "a number for true",
                        payload.replace("\"rollback_allowed\": false", "\"rollback_allowed\": 0")),
                signedBad(
                        "a floor above its own counter",
                        payload.replace("\"floor\": 3", "\"floor\": 8")),
                signedBad(
                        "a time written in another way", payload.replace("00:00Z", "00:00+00:00")),
                signedBad("a digest that is none", payload.replace(AMD.value(), "sha1:12")),
                signedBad("a path with ..", payload.replace("/etc/celestia", "/etc/..")),
                signedBad("a platform that is none", payload.replace("\"any\"", "\"ANY\"")),
                signedBad(
                        "two artifacts for one platform",
                        payload.replace("\"any\"", "\"linux/arm64\"")),
                signedBad("a negative length", payload.replace("1000", "-1")),
                signedBad("a control character", payload.replace("Provision", "\u0001")),
                signedBad("half a character", payload.replace("Provision", "\\ud800")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forgeries")
    @DisplayName("E1: nothing is believed that enough trusted people did not sign as it stands")
    void refusesEveryForgery(String name, RejectionReason attack, byte[] forged) {
        assertThatThrownBy(() -> ReleaseVerifier.verify(forged, SigningFixture.twoOfThree(), NOW))
                .as(name)
                .isInstanceOfSatisfying(
                        NotTrusted.class, refused -> assertThat(refused.reason()).isEqualTo(attack))
                .hasMessageEndingWith(".");
    }

    @Test
    @DisplayName("E1: no byte of payload, kind or signature can be changed")
    void refusesEveryFlippedBit() {
        byte[] good = text(GOOD).replaceAll("\\s+", "").getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < good.length; i++) {
            byte[] flipped = good.clone();
            flipped[i] ^= 1;
            assertThatThrownBy(
                            () -> ReleaseVerifier.verify(flipped, SigningFixture.twoOfThree(), NOW))
                    .as("byte %d of %s", i, new String(flipped, StandardCharsets.UTF_8))
                    .isInstanceOf(NotTrusted.class);
        }
    }

    @Test
    @DisplayName("E6: an expired release and an expired root are refused as a freeze")
    void refusesWhatIsOver() {
        Root root = SigningFixture.twoOfThree();
        assertAttack(
                RejectionReason.FREEZE,
                () -> ReleaseVerifier.verify(GOOD.bytes(), root, RELEASE.expires()));
        Root shortLived = SigningFixture.root(1, NOW.plus(Duration.ofDays(1)), 2, ANN, BEN);
        assertAttack(
                RejectionReason.FREEZE,
                () -> ReleaseVerifier.verify(GOOD.bytes(), shortLived, shortLived.expires()));
        assertThat(
                        ReleaseVerifier.verify(GOOD.bytes(), root, RELEASE.expires().minusMillis(1))
                                .release())
                .isEqualTo(RELEASE);
    }

    @Test
    void aKeyThatSignsOnlyRootsSignsNoRelease() {
        Root all = SigningFixture.twoOfThree();
        Root root =
                new Root(
                        1,
                        all.expires(),
                        all.keys(),
                        new Quorum(1, SigningFixture.ids(ANN)),
                        new Quorum(1, SigningFixture.ids(CAT)));
        assertAttack(
                RejectionReason.WRONG_KEY, () -> ReleaseVerifier.verify(GOOD.bytes(), root, NOW));
    }

    static Stream<Arguments> disagreements() {
        return Stream.of(
                other("chain", c -> claim("osmosis", "full", "node", "v7", AMD, 1000, List.of())),
                other(
                        "node type",
                        c -> claim("celestia", "light", "node", "v7", AMD, 1000, List.of())),
                other(
                        "program",
                        c -> claim("celestia", "full", "other", "v7", AMD, 1000, List.of())),
                other(
                        "version",
                        c -> claim("celestia", "full", "node", "v8", AMD, 1000, List.of())),
                other(
                        "digest",
                        c ->
                                claim(
                                        "celestia",
                                        "full",
                                        "node",
                                        "v7",
                                        Digest.of("x"),
                                        1000,
                                        List.of())),
                other(
                        "platform",
                        c -> claim("celestia", "full", "node", "v7", ARM, 900, List.of())),
                other("length", c -> claim("celestia", "full", "node", "v7", AMD, 1001, List.of())),
                other(
                        "configuration file",
                        c ->
                                claim(
                                        "celestia",
                                        "full",
                                        "node",
                                        "v7",
                                        AMD,
                                        1000,
                                        List.of(new NodePath("/etc/celestia/other.toml")))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("disagreements")
    @DisplayName("E7: a release and a command that differ install nothing")
    void refusesWhatIsSignedForSomethingElse(String name, UnaryOperator<InstallRequest> changed) {
        assertAttack(
                RejectionReason.MIX_AND_MATCH,
                () -> ReleaseVerifier.requireMatch(RELEASE, changed.apply(installRequest())));
    }

    @Test
    void agreesWithTheCommandThatItIsSignedFor() {
        assertThat(ReleaseVerifier.requireMatch(RELEASE, installRequest()).length())
                .isEqualTo(1000);
        InstallRequest unsized = claim("celestia", "full", "node", "v7", AMD, 0, List.of());
        assertThat(ReleaseVerifier.requireMatch(RELEASE, unsized).length()).isEqualTo(1000);
    }

    @Test
    @DisplayName("E6: the counter a node has seen is never gone below")
    void refusesAnOlderRelease() {
        ReleaseWatermark seen = ReleaseWatermark.NONE.withRelease(release(7, 0, false));
        assertAttack(
                RejectionReason.ROLLBACK,
                () -> ReleaseVerifier.requireNoDowngrade(release(6, 0, false), seen));
        ReleaseVerifier.requireNoDowngrade(release(7, 0, false), seen);
        ReleaseVerifier.requireNoDowngrade(release(8, 0, false), seen);
    }

    @Test
    @DisplayName("E8: back only to what is signed for it, and never below the floor")
    void goesBackOnlyAboveTheFloor() {
        ReleaseWatermark seen =
                ReleaseWatermark.NONE
                        .withRelease(release(7, 5, false))
                        .withRelease(release(8, 2, false));
        assertThat(seen).isEqualTo(new ReleaseWatermark(8, "v8", 5));
        ReleaseVerifier.requireNoDowngrade(release(5, 0, true), seen);
        assertAttack(
                RejectionReason.ROLLBACK,
                () -> ReleaseVerifier.requireNoDowngrade(release(4, 0, true), seen));
        assertThat(seen.withRelease(release(5, 0, true))).isEqualTo(seen);
    }

    @Test
    void oneCounterIsOneVersion() {
        ReleaseWatermark seen = new ReleaseWatermark(7, "v7-of-somebody", 0);
        assertAttack(
                RejectionReason.MIX_AND_MATCH,
                () -> ReleaseVerifier.requireNoDowngrade(release(7, 0, false), seen));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void severalPeopleSignOneAfterAnother(int people) {
        Envelope signed = RELEASE.toUnsignedEnvelope();
        for (SigningKey one : List.of(CAT, ANN, BEN).subList(0, people)) {
            signed = Envelope.parse(signed.bytes(), Release.MAX_BYTES).withSignature(one);
        }
        assertThat(signed.claimedSigners()).hasSize(people);
        assertThat(signed.verifiedSigners(SigningFixture.twoOfThree().keys())).hasSize(people);
        assertThat(signed.withSignature(CAT).claimedSigners()).hasSize(people);
    }

    private static void assertAttack(
            RejectionReason attack, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        NotTrusted.class,
                        refused -> assertThat(refused.reason()).isEqualTo(attack));
    }

    private static InstallRequest installRequest() {
        return claim(
                "celestia",
                "full",
                "node",
                "v7",
                AMD,
                1000,
                List.of(new NodePath("/etc/celestia/config.toml")));
    }

    private static InstallRequest claim(
            String chain,
            String type,
            String program,
            String version,
            Digest digest,
            long length,
            List<NodePath> paths) {
        return new InstallRequest(
                new ChainProfileId(chain),
                new NodeType(type),
                "linux/amd64",
                new BinaryName(program),
                version,
                digest,
                length,
                paths);
    }

    private static Arguments other(String name, UnaryOperator<InstallRequest> changed) {
        return Arguments.of(name, changed);
    }

    private static Arguments bad(String name, RejectionReason attack, Envelope envelope) {
        return Arguments.of(name, attack, envelope.bytes());
    }

    private static Arguments bad(String name, RejectionReason attack, String envelope) {
        return Arguments.of(name, attack, envelope.getBytes(StandardCharsets.UTF_8));
    }

    /** Signed by enough people, who should not have. */
    private static Arguments signedBad(String name, String payload) {
        assertThat(payload)
                .as(name)
                .isNotEqualTo(new String(GOOD.payload(), StandardCharsets.UTF_8));
        return bad(
                name,
                RejectionReason.MALFORMED,
                kind(Envelope.RELEASE, payload.getBytes(StandardCharsets.UTF_8)));
    }

    private static Envelope kind(String type, byte[] payload) {
        return signed(Envelope.unsigned(type, payload), ANN, BEN);
    }

    /** The same signature twice over: one person is one person. */
    private static String twice() {
        String one = text(signed(RELEASE.toUnsignedEnvelope(), ANN));
        String signature = one.substring(one.indexOf("[") + 1, one.lastIndexOf("]"));
        return one.replace(signature, signature + "," + signature);
    }

    private static String text(Envelope envelope) {
        return new String(envelope.bytes(), StandardCharsets.UTF_8);
    }

    private static String base64(Envelope envelope) {
        return Base64.getEncoder().encodeToString(envelope.payload());
    }

    @Test
    @DisplayName("The encoding that is signed is the one of DSSE")
    void encodesAsTheSpecificationDoes() {
        Envelope example =
                Envelope.unsigned(
                        "http://example.com/HelloWorld",
                        "hello world".getBytes(StandardCharsets.UTF_8));
        assertThat(new String(example.preAuthEncoding(), StandardCharsets.UTF_8))
                .isEqualTo("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
        assertThat(Arrays.equals(example.payload(), GOOD.payload())).isFalse();
    }
}
