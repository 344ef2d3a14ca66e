package drover.trust.identity;

import drover.trust.Pem;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;

/**
 * A key for connections (P-256), made where it is used and never sent. What is sent is a request
 * for a certificate: the public half, signed with the private one (PKCS #10). It names nobody and
 * asks for nothing, since whoever answers decides both.
 */
public final class CertificateRequestKeyPair {
    /** The curve of every key for connections. */
    public static final String CURVE = "secp256r1";

    private static final byte SEQUENCE = 0x30;
    private static final byte BITS = 0x03;
    private static final byte[] VERSION = {0x02, 0x01, 0x00};
    private static final byte[] EMPTY_SUBJECT = {SEQUENCE, 0x00};
    private static final byte[] NO_ATTRIBUTES = {(byte) 0xa0, 0x00};

    /** The object identifier 1.2.840.10045.4.3.2. */
    private static final byte[] ECDSA_WITH_SHA256 = {
        0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
    };

    private final KeyPair pair;

    private CertificateRequestKeyPair(KeyPair pair) {
        this.pair = pair;
    }

    /** A new key from the machine's own randomness. */
    public static CertificateRequestKeyPair create() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(CURVE));
            return new CertificateRequestKeyPair(generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has P-256", e);
        }
    }

    /** The public half. */
    public PublicKey publicKey() {
        return pair.getPublic();
    }

    /** The private half. */
    public PrivateKey privateKey() {
        return pair.getPrivate();
    }

    /** The private key as a PEM file has it: only for a file that nobody else may read. */
    public String pem() {
        return Pem.write("PRIVATE KEY", pair.getPrivate().getEncoded());
    }

    /** A request for a certificate, in DER. */
    public byte[] signingRequest() {
        byte[] requested =
                encodeDer(
                        SEQUENCE,
                        VERSION,
                        EMPTY_SUBJECT,
                        pair.getPublic().getEncoded(),
                        NO_ATTRIBUTES);
        return encodeDer(
                SEQUENCE,
                requested,
                encodeDer(SEQUENCE, ECDSA_WITH_SHA256),
                encodeDer(BITS, new byte[] {0}, sign(requested)));
    }

    private byte[] sign(byte[] bytes) {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(pair.getPrivate());
            signature.update(bytes);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java signs with P-256", e);
        }
    }

    /** A kind, a length, and what it holds; no part here comes near 64 KiB. */
    private static byte[] encodeDer(byte kind, byte[]... parts) {
        ByteArrayOutputStream held = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            held.writeBytes(part);
        }
        int length = held.size();
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(kind);
        if (length >= 0x100) {
            whole.write(0x82);
            whole.write(length >> 8);
        } else if (length >= 0x80) {
            whole.write(0x81);
        }
        whole.write(length);
        whole.writeBytes(held.toByteArray());
        return whole.toByteArray();
    }

    /** Never the key: this may end up in a message (H14). */
    @Override
    public String toString() {
        return "CertificateRequestKeyPair[" + CURVE + "]";
    }
}
