package drover.coordinator.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens against a real address that publishes keys: a good one of each kind, then attacks. */
final class JwtAuthenticatorTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final String ISSUER = "https://issuer.example.test";

    private static ECKey ec;
    private static RSAKey rsa;

    @TempDir Path folder;
    @AutoClose private JwksServer published;
    private JwtAuthenticator judge;

    @BeforeAll
    static void makeKeys() throws JOSEException {
        ec = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
        rsa = new RSAKeyGenerator(2048).keyID("rsa").generate();
    }

    @BeforeEach
    void publish() throws IOException {
        published = JwksServer.open(new JWKSet(List.of(ec, rsa)).toPublicJWKSet().toString());
        judge = judge(published.address());
    }

    @Test
    void validTokenOfEitherKindAuthenticatesItsSubject() throws Exception {
        Principal ann =
                new Principal(
                        Principal.Kind.JWT,
                        "ann",
                        Set.of(Scope.ROLLOUTS_READ, Scope.ROLLOUTS_ADMIN));
        assertThat(
                        judge.authenticate(
                                signed(header(JWSAlgorithm.ES256, "ec"), new ECDSASigner(ec))))
                .isEqualTo(ann);
        assertThat(
                        judge.authenticate(
                                signed(header(JWSAlgorithm.RS256, "rsa"), new RSASSASigner(rsa))))
                .isEqualTo(ann);
        assertThat(ann.actor()).isEqualTo("jwt:ann");
    }

    @Test
    void scopesMayBeAList() throws Exception {
        String token =
                signed(
                        claims ->
                                claims.claim("scope", null).claim("scopes", List.of("audit:read")));
        assertThat(judge.authenticate(token).scopes()).containsExactly(Scope.AUDIT_READ);
    }

    @Test
    void aTokenWithoutScopesMayDoNothing() throws Exception {
        assertThat(judge.authenticate(signed(claims -> claims.claim("scope", null))).scopes())
                .isEmpty();
    }

    @Test
    void keysMayStandInAFile() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("keys.json"), new JWKSet(ec).toPublicJWKSet().toString());
        JwtAuthenticator ofFile =
                new JwtAuthenticator(
                        TrustedTokenIssuer.of(ISSUER, "drover", file.toString()), () -> NOW);
        assertThat(ofFile.authenticate(signed(claims -> claims)).id()).isEqualTo("ann");
    }

    @Test
    @DisplayName("H7: a token that says it is not signed is refused")
    void algNoneIsRefused() throws Exception {
        String payload = signed(claims -> claims).split("\\.", -1)[1];
        for (String alg : List.of("none", "None", "NONE", "nOnE")) {
            String header = encoded("{\"alg\":\"" + alg + "\",\"kid\":\"ec\"}");
            assertUnknown(header + "." + payload + ".");
            assertUnknown(header + "." + payload + "." + encoded("x"));
        }
    }

    @Test
    @DisplayName("H7: the public key does not pass for a secret one")
    void keyConfusionIsRefused() throws Exception {
        for (byte[] secret :
                List.of(
                        rsa.toRSAPublicKey().getEncoded(),
                        rsa.toPublicJWK().toString().getBytes(StandardCharsets.UTF_8),
                        pem(rsa.toRSAPublicKey().getEncoded()))) {
            assertUnknown(
                    signed(
                            new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("rsa").build(),
                            new MACSigner(secret)));
        }
    }

    @Test
    @DisplayName("H7: a key that the token brings along counts for nothing")
    void aKeyInTheTokenIsRefused() throws Exception {
        ECKey own = new ECKeyGenerator(Curve.P_256).keyID("ec").generate();
        assertUnknown(
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.ES256)
                                .keyID("ec")
                                .jwk(own.toPublicJWK())
                                .build(),
                        new ECDSASigner(own)));
    }

    @Test
    @DisplayName("H7: other algorithms are refused, also with the issuer's own keys")
    void otherAlgorithmsAreRefused() throws Exception {
        assertUnknown(signed(header(JWSAlgorithm.RS512, "rsa"), new RSASSASigner(rsa)));
        assertUnknown(signed(header(JWSAlgorithm.PS256, "rsa"), new RSASSASigner(rsa)));
    }

    @Test
    @DisplayName("H7: a changed token is refused")
    void aChangedTokenIsRefused() throws Exception {
        String[] parts = signed(claims -> claims).split("\\.", -1);
        String more =
                new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8)
                        .replace("rollouts:read", "tokens:write");
        assertUnknown(parts[0] + "." + encoded(more) + "." + parts[2]);
        assertUnknown(parts[0] + "." + parts[1] + ".");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "e30.e30.e30", "not a token", "eyJh"})
    void whatIsNoTokenIsRefused(String text) {
        assertUnknown(text);
    }

    @Test
    @DisplayName("H7: wrong issuer, wrong audience, expired, too long, no end, for something else")
    void claimsOfATokenMustMatch() throws Exception {
        assertUnknown(signed(claims -> claims.issuer(ISSUER + ".evil.test")));
        assertUnknown(signed(claims -> claims.audience("other")));
        assertUnknown(signed(claims -> claims.expirationTime(at(3_601))));
        assertUnknown(signed(claims -> claims.expirationTime(null)));
        assertUnknown(signed(claims -> claims.notBeforeTime(at(120))));
        assertThat(
                        refusal(signed(claims -> claims.issueTime(at(-9)).expirationTime(at(-1))))
                                .code())
                .isEqualTo(RefusalCode.CREDENTIAL_EXPIRED);
        assertUnknown(
                signed(
                        new JWSHeader.Builder(JWSAlgorithm.ES256)
                                .keyID("ec")
                                .type(new JOSEObjectType("logout+jwt"))
                                .build(),
                        new ECDSASigner(ec)));
    }

    @Test
    @DisplayName("H7: an unknown key is refused, and does not become a flood of questions")
    void refusesAnUnknownKeyWithFewLookups() throws Exception {
        assertThat(judge.authenticate(signed(claims -> claims)).id()).isEqualTo("ann");
        ECKey foreign = new ECKeyGenerator(Curve.P_256).keyID("foreign").generate();
        String token = signed(header(JWSAlgorithm.ES256, "foreign"), new ECDSASigner(foreign));
        for (int i = 0; i < 50; i++) {
            assertUnknown(token);
        }
        assertThat(published.requestCount()).isLessThanOrEqualTo(3);
        assertThat(judge.authenticate(signed(claims -> claims)).id())
                .as("others go on")
                .isEqualTo("ann");
    }

    @Test
    void aNewKeyOfTheIssuerIsFound() throws Exception {
        assertThat(judge.authenticate(signed(claims -> claims)).id()).isEqualTo("ann");
        ECKey next = new ECKeyGenerator(Curve.P_256).keyID("next").generate();
        published.publish(new JWKSet(List.of(ec, next)).toPublicJWKSet().toString());
        assertThat(
                        judge.authenticate(
                                        signed(
                                                header(JWSAlgorithm.ES256, "next"),
                                                new ECDSASigner(next)))
                                .id())
                .isEqualTo("ann");
    }

    @Test
    @DisplayName("H7: while the keys cannot be read nobody is let in")
    void withoutTheKeysAllCallsAreRefused() throws Exception {
        String good = signed(claims -> claims);
        published.fail();
        assertThat(refusal(good).code()).isEqualTo(RefusalCode.ISSUER_UNAVAILABLE);
        published.publish("no keys at all");
        assertThat(refusal(judge(published.address()), good).code())
                .isEqualTo(RefusalCode.ISSUER_UNAVAILABLE);
        published.publish("{\"keys\": []}");
        assertThat(refusal(judge(published.address()), good).code())
                .isEqualTo(RefusalCode.CREDENTIAL_UNKNOWN);
        published.close();
        assertThat(refusal(judge(published.address()), good).code())
                .isEqualTo(RefusalCode.ISSUER_UNAVAILABLE);
        JwtAuthenticator ofNoFile =
                new JwtAuthenticator(
                        new TrustedTokenIssuer(
                                ISSUER, "drover", folder.resolve("none.json").toUri()),
                        () -> NOW);
        assertThat(refusal(ofNoFile, good).code()).isEqualTo(RefusalCode.ISSUER_UNAVAILABLE);
    }

    @Test
    @DisplayName("H7: keys larger than any issuer has are not read")
    void aBombOfKeysIsNotRead() throws Exception {
        published.publish("{\"keys\": [], \"x\": \"" + "x".repeat(300_000) + "\"}");
        assertThat(refusal(signed(claims -> claims)).code())
                .isEqualTo(RefusalCode.ISSUER_UNAVAILABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://issuer.example.test/keys",
                "http://127.0.0.1.example.test/keys",
                "ftp://issuer.example.test/keys",
                "https://issuer example/keys",
                "no-such-file.json",
                "/",
                "a\0b",
                ""
            })
    void keysComeByNoUnsafeWay(String keys) {
        assertThatThrownBy(() -> TrustedTokenIssuer.of(ISSUER, "drover", keys))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(".");
    }

    private JwtAuthenticator judge(String address) {
        return new JwtAuthenticator(
                TrustedTokenIssuer.of(ISSUER, "drover", address),
                () -> NOW,
                Duration.ofSeconds(30));
    }

    private void assertUnknown(String token) {
        assertThat(refusal(token).code()).isEqualTo(RefusalCode.CREDENTIAL_UNKNOWN);
    }

    private Refused refusal(String token) {
        return refusal(judge, token);
    }

    private static Refused refusal(JwtAuthenticator by, String token) {
        return catchThrowableOfType(Refused.class, () -> by.authenticate(token));
    }

    private static JWSHeader header(JWSAlgorithm algorithm, String key) {
        return new JWSHeader.Builder(algorithm).keyID(key).type(JOSEObjectType.JWT).build();
    }

    /** A good token, but for what is changed. */
    private static String signed(UnaryOperator<JWTClaimsSet.Builder> change) throws JOSEException {
        return signed(header(JWSAlgorithm.ES256, "ec"), new ECDSASigner(ec), change);
    }

    private static String signed(JWSHeader header, JWSSigner signer) throws JOSEException {
        return signed(header, signer, claims -> claims);
    }

    private static String signed(
            JWSHeader header, JWSSigner signer, UnaryOperator<JWTClaimsSet.Builder> change)
            throws JOSEException {
        JWTClaimsSet.Builder good =
                new JWTClaimsSet.Builder()
                        .issuer(ISSUER)
                        .audience("drover")
                        .subject("ann")
                        .issueTime(at(0))
                        .expirationTime(at(600))
                        .claim("scope", "openid rollouts:read rollouts:admin");
        SignedJWT token = new SignedJWT(header, change.apply(good).build());
        token.sign(signer);
        return token.serialize();
    }

    private static Date at(int seconds) {
        return Date.from(NOW.plusSeconds(seconds));
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] pem(byte[] key) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
        return ("-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
