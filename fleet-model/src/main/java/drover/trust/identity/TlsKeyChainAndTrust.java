package drover.trust.identity;

import drover.trust.Pem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;

/**
 * What one end of a connection shows and whom it believes: a key, the chain that belongs to it, and
 * the authorities whose chains are taken. The three belong together; parts that do not fit are
 * refused as a whole, so that files which are being replaced are never used half.
 */
public final class TlsKeyChainAndTrust {
    private static final String KEY_LABEL = "PRIVATE KEY";
    private static final byte[] PROBE = {4, 5, 6};

    private final List<X509Certificate> chain;
    private final PrivateKey key;
    private final List<X509Certificate> authorities;

    private TlsKeyChainAndTrust(
            List<X509Certificate> chain, PrivateKey key, List<X509Certificate> authorities) {
        this.chain = List.copyOf(chain);
        this.key = key;
        this.authorities = List.copyOf(authorities);
    }

    /**
     * Reads the contents of three PEM files.
     *
     * @param chain the leaf first, then what leads to an authority
     * @param key of the leaf, as PKCS #8
     * @param trust certificates of authorities
     * @throws IllegalArgumentException with one sentence that names the part, never with a key
     */
    public static TlsKeyChainAndTrust parse(String chain, String key, String trust) {
        List<X509Certificate> leafFirst = certificates(chain, "chain");
        PublicKey shown = leafFirst.getFirst().getPublicKey();
        PrivateKey own = privateKey(key, shown.getAlgorithm());
        if (!isKeyPair(own, shown)) {
            throw new IllegalArgumentException(
                    "The key is not that of the chain's first certificate; replace both together.");
        }
        return new TlsKeyChainAndTrust(leafFirst, own, authorities(trust));
    }

    /**
     * Reads certificates of authorities from a PEM file.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public static List<X509Certificate> authorities(String trust) {
        List<X509Certificate> read = certificates(trust, "trust");
        for (X509Certificate authority : read) {
            if (authority.getBasicConstraints() < 0) {
                throw new IllegalArgumentException(
                        "The trust file holds a certificate that is no authority's: "
                                + authority.getSubjectX500Principal()
                                + ".");
            }
        }
        return read;
    }

    private static List<X509Certificate> certificates(String pem, String part) {
        try {
            List<X509Certificate> read =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(
                                    new ByteArrayInputStream(
                                            pem.getBytes(StandardCharsets.US_ASCII)))
                            .stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (!read.isEmpty()) {
                return read;
            }
        } catch (CertificateException _) {
            // told below
        }
        throw new IllegalArgumentException(
                "The " + part + " file holds no certificates in PEM form.");
    }

    private static PrivateKey privateKey(String pem, String algorithm) {
        try {
            byte[] encoded = Pem.read(KEY_LABEL, pem);
            return KeyFactory.getInstance(algorithm)
                    .generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException _) {
            // What was read must not reach a message (H14).
            throw new IllegalArgumentException(
                    "The key file holds no private key in PEM form (PKCS #8) of the kind "
                            + algorithm
                            + ".");
        }
    }

    private static boolean isKeyPair(PrivateKey own, PublicKey shown) {
        try {
            Signature signature = Signature.getInstance(signatureAlgorithm(shown.getAlgorithm()));
            signature.initSign(own);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(shown);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String signatureAlgorithm(String algorithm) {
        return switch (algorithm) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default ->
                    throw new IllegalArgumentException(
                            "Keys for connections are of the kind EC (P-256) or RSA, not "
                                    + algorithm
                                    + ".");
        };
    }

    /** The leaf first. */
    public List<X509Certificate> chain() {
        return chain;
    }

    /** The certificate that is shown. */
    public X509Certificate leaf() {
        return chain.getFirst();
    }

    /** The key that belongs to the leaf. */
    public PrivateKey key() {
        return key;
    }

    /** Those whose chains are taken. */
    public List<X509Certificate> authorities() {
        return authorities;
    }

    /** Never the key: this may end up in a message (H14). */
    @Override
    public String toString() {
        return "TlsKeyChainAndTrust[" + leaf().getSubjectX500Principal() + "]";
    }
}
