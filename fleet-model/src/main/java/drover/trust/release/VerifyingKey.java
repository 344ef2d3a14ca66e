package drover.trust.release;

import drover.model.Digest;
import drover.trust.Pem;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/**
 * The public half of an Ed25519 key. Its id is the SHA-256 of its DER form, so one key has one id
 * and cannot count twice.
 */
public final class VerifyingKey {
    static final String LABEL = "PUBLIC KEY";
    static final String ALGORITHM = "Ed25519";

    private final PublicKey key;
    private final Digest id;

    private VerifyingKey(PublicKey key) {
        this.key = key;
        this.id = Digest.of(key.getEncoded());
    }

    /**
     * A key in DER form.
     *
     * @throws IllegalArgumentException when it is no Ed25519 key, or written in another than the
     *     one usual way
     */
    public static VerifyingKey of(byte[] der) {
        try {
            PublicKey key =
                    KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(der));
            if (MessageDigest.isEqual(key.getEncoded(), der)) {
                return new VerifyingKey(key);
            }
        } catch (GeneralSecurityException _) {
            // told below
        }
        throw new IllegalArgumentException("It is no public Ed25519 key");
    }

    /** A key as a PEM file has it; refused as {@link #of}. */
    public static VerifyingKey fromPem(String text) {
        return of(Pem.read(LABEL, text));
    }

    static VerifyingKey fromBase64(String text) {
        return of(Base64.getDecoder().decode(text));
    }

    /** The key as a PEM file has it. */
    public String pem() {
        return Pem.write(LABEL, key.getEncoded());
    }

    String base64() {
        return Base64.getEncoder().encodeToString(key.getEncoded());
    }

    /** SHA-256 of the DER form. */
    public Digest id() {
        return id;
    }

    /** Whether this key's other half signed the message. */
    boolean verifies(byte[] message, byte[] signature) {
        try {
            Signature verifier = Signature.getInstance(ALGORITHM);
            verifier.initVerify(key);
            verifier.update(message);
            return verifier.verify(signature);
        } catch (SignatureException _) {
            return false; // of another length or form
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has Ed25519", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VerifyingKey that && that.id.equals(id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
