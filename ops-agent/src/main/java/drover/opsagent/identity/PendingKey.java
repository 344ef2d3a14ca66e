package drover.opsagent.identity;

import drover.trust.identity.CertificateRequestKeyPair;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A key for which a certificate was asked and has not come. It is on the disk before it is asked
 * for: a reply that is lost is asked for again, with the same key, and the token counts once.
 *
 * @param key the private key, PKCS #8 in PEM
 * @param request for a certificate, DER in base64
 * @param shown what it is asked for with: a key that may have been copied with the disk is used for
 *     nothing that came later; null in a file of a version that did not say it
 */
record PendingKey(String key, String request, @Nullable String shown) {
    static PendingKey create(String shown) {
        CertificateRequestKeyPair made = CertificateRequestKeyPair.create();
        return new PendingKey(
                made.pem(), Base64.getEncoder().encodeToString(made.signingRequest()), shown);
    }

    byte[] certificateRequestDer() {
        return Base64.getDecoder().decode(request);
    }

    /** Never the key (H14). */
    @Override
    public String toString() {
        return "PendingKey";
    }
}
