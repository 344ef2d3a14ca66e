package drover.opsagent.identity;

import drover.model.identity.ConnectionKey;
import java.util.Base64;

/**
 * A key for which a certificate was asked and has not come. It is on the disk before it is asked
 * for: a reply that is lost is asked for again, with the same key, and the token counts once.
 *
 * @param key the private key, PKCS #8 in PEM
 * @param request for a certificate, DER in base64
 */
record PendingKey(String key, String request) {
    static PendingKey create() {
        ConnectionKey made = ConnectionKey.create();
        return new PendingKey(made.pem(), Base64.getEncoder().encodeToString(made.request()));
    }

    byte[] der() {
        return Base64.getDecoder().decode(request);
    }

    /** Never the key (H14). */
    @Override
    public String toString() {
        return "PendingKey";
    }
}
