package drover.kit.ca;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;

/**
 * A request for a certificate (PKCS #10), of which two things count: the public key, and that
 * whoever asks has the private one. Names and extensions in it are not looked at (SECURITY,
 * enrolment 3).
 */
public final class CertificateRequestKeyVerifier {
    /** Ten times what ours have. */
    private static final int LARGEST = 4 * 1024;

    private CertificateRequestKeyVerifier() {}

    /**
     * The key in the request, which the request's own signature proves.
     *
     * @param der from anybody at all
     * @throws IllegalArgumentException with one sentence when it is no request, not proven, or of
     *     another kind than P-256
     */
    public static PublicKey verifiedKey(byte[] der) {
        if (der.length > LARGEST) {
            throw new IllegalArgumentException("The request is larger than 4 KiB.");
        }
        try {
            return verifyAndExtractKey(new PKCS10CertificationRequest(der));
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (IOException
                | PKCSException
                | OperatorCreationException
                | GeneralSecurityException
                | RuntimeException e) { // the library says in many ways that it does not understand
            throw new IllegalArgumentException("It is no certificate request (PKCS #10).", e);
        }
    }

    private static PublicKey verifyAndExtractKey(PKCS10CertificationRequest request)
            throws IOException, PKCSException, OperatorCreationException, GeneralSecurityException {
        SubjectPublicKeyInfo key = request.getSubjectPublicKeyInfo();
        requireCurve(key.getAlgorithm());
        if (!request.isSignatureValid(new JcaContentVerifierProviderBuilder().build(key))) {
            throw new IllegalArgumentException(
                    "The request is not signed with the key that it names.");
        }
        return KeyFactory.getInstance("EC")
                .generatePublic(new X509EncodedKeySpec(key.getEncoded()));
    }

    private static void requireCurve(AlgorithmIdentifier algorithm) {
        if (!algorithm.getAlgorithm().equals(X9ObjectIdentifiers.id_ecPublicKey)
                || !SECObjectIdentifiers.secp256r1.equals(algorithm.getParameters())) {
            throw new IllegalArgumentException("The key of a node is of the kind P-256.");
        }
    }
}
