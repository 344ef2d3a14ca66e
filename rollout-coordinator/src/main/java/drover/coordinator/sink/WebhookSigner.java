package drover.coordinator.sink;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what is posted, as "Standard Webhooks" has it, so that receivers may check it with a
 * library they have: HMAC-SHA256 over id, time and body. The time is signed too, so that a receiver
 * can refuse what somebody sends again.
 */
final class WebhookSigner {
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] secret;

    /** With the bytes of a secret. */
    WebhookSigner(byte[] secret) {
        this.secret = secret.clone();
    }

    /** The value of the header {@code webhook-signature}. */
    String sign(String id, Instant at, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            String head = id + "." + at.getEpochSecond() + ".";
            mac.update(head.getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has " + ALGORITHM, e);
        }
    }
}
