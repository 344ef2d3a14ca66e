package drover.system.access;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** An identity provider made of the JDK alone: signs tokens with ES256 and publishes its key. */
final class TestIssuer {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int COORDINATE = 32; // bytes, of P-256

    private final String name;
    private final KeyPair keys;

    TestIssuer(String name) {
        this.name = name;
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            this.keys = generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String name() {
        return name;
    }

    /** The set of its public keys, as a provider publishes it. */
    String publicKeys() {
        var point = ((ECPublicKey) keys.getPublic()).getW();
        return """
            {"keys": [{"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "one",
                       "x": "%s", "y": "%s"}]}
            """
                .formatted(coordinate(point.getAffineX()), coordinate(point.getAffineY()));
    }

    private static String coordinate(BigInteger number) {
        byte[] bytes = number.toByteArray(); // may have a leading zero, or too few
        byte[] whole = new byte[COORDINATE];
        int length = Math.min(bytes.length, COORDINATE);
        System.arraycopy(bytes, bytes.length - length, whole, COORDINATE - length, length);
        return text(whole);
    }

    /** A token of alice for drover that is good for ten minutes and has no scope. */
    Token token() {
        long now = Instant.now().getEpochSecond();
        return new Token(Map.of(), now)
                .with("iss", name)
                .with("sub", "alice")
                .with("aud", "drover")
                .with("iat", now)
                .with("exp", now + 600);
    }

    /** What a token says; each change is another one. */
    final class Token {
        private final Map<String, Object> claims;
        private final long issuedAt;

        private Token(Map<String, Object> claims, long issuedAt) {
            this.claims = claims;
            this.issuedAt = issuedAt;
        }

        Token with(String claim, Object value) {
            Map<String, Object> more = new LinkedHashMap<>(claims);
            more.put(claim, value);
            return new Token(more, issuedAt);
        }

        long issuedAt() {
            return issuedAt;
        }

        /** Was good until an hour ago. */
        Token ended() {
            return with("iat", issuedAt - 7_200).with("exp", issuedAt - 3_600);
        }

        String signed() {
            String message = sign(Map.of("alg", "ES256", "kid", "one", "typ", "JWT"));
            try {
                Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
                signature.initSign(keys.getPrivate());
                signature.update(message.getBytes(StandardCharsets.US_ASCII));
                return message + "." + text(signature.sign());
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        String unsigned() {
            return sign(Map.of("alg", "none", "typ", "JWT")) + ".";
        }

        private String sign(Map<String, Object> header) {
            return text(JSON.writeValueAsBytes(header))
                    + "."
                    + text(JSON.writeValueAsBytes(claims));
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
