package drover.trust.release;

import drover.model.Digest;
import drover.trust.Pem;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;

/** The private half of an Ed25519 key, for people who sign. Never part of a message or a log. */
public final class SigningKey {
    private static final String LABEL = "PRIVATE KEY";
    private static final byte[] PROBE = {1, 2, 3};

    private final PrivateKey key;
    private final VerifyingKey verifying;

    private SigningKey(PrivateKey key, VerifyingKey verifying) {
        this.key = key;
        this.verifying = verifying;
    }

    /** A new key from the machine's own randomness. */
    public static SigningKey create() {
        byte[] seed = new byte[32];
        new SecureRandom().nextBytes(seed);
        return ofSeed(seed);
    }

    /**
     * A key as a PEM file has it (PKCS #8), also one that another tool made.
     *
     * @throws IllegalArgumentException when it is no private Ed25519 key
     */
    public static SigningKey fromPem(String text) {
        try {
            PrivateKey read =
                    KeyFactory.getInstance(VerifyingKey.ALGORITHM)
                            .generatePrivate(new PKCS8EncodedKeySpec(Pem.read(LABEL, text)));
            if (read instanceof EdECPrivateKey key) {
                return ofSeed(key.getBytes().orElseThrow());
            }
        } catch (GeneralSecurityException _) {
            // told below; what was read must not reach a message
        }
        throw new IllegalArgumentException("It is no private Ed25519 key");
    }

    /**
     * The JDK has no way from a private key to its public half but to make the pair again: its
     * generator takes the private key from the random source as it is. The two halves are tried on
     * one another, so that another provider's generator would be seen.
     */
    private static SigningKey ofSeed(byte[] seed) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(VerifyingKey.ALGORITHM);
            generator.initialize(NamedParameterSpec.ED25519, new FixedRandom(seed));
            var pair = generator.generateKeyPair();
            SigningKey key =
                    new SigningKey(
                            pair.getPrivate(), VerifyingKey.of(pair.getPublic().getEncoded()));
            boolean same =
                    pair.getPrivate() instanceof EdECPrivateKey made
                            && java.util.Arrays.equals(made.getBytes().orElseThrow(), seed);
            if (same && key.verifying.verifies(PROBE, key.sign(PROBE))) {
                return key;
            }
            throw new IllegalStateException("This Java makes Ed25519 keys in another way");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has Ed25519", e);
        }
    }

    private static final class FixedRandom extends SecureRandom {
        private static final long serialVersionUID = 1L;
        private final byte[] bytes;

        FixedRandom(byte[] bytes) {
            this.bytes = bytes.clone();
        }

        @Override
        public void nextBytes(byte[] wanted) {
            System.arraycopy(bytes, 0, wanted, 0, Math.min(wanted.length, bytes.length));
        }
    }

    /** The private key as a PEM file has it: only for a file that nobody else may read. */
    public String pem() {
        return Pem.write(LABEL, key.getEncoded());
    }

    /** The public half. */
    public VerifyingKey verifyingKey() {
        return verifying;
    }

    /** Id of the public half. */
    public Digest id() {
        return verifying.id();
    }

    byte[] sign(byte[] message) {
        try {
            Signature signer = Signature.getInstance(VerifyingKey.ALGORITHM);
            signer.initSign(key);
            signer.update(message);
            return signer.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has Ed25519", e);
        }
    }

    /** Never the key: this may end up in a message (H14). */
    @Override
    public String toString() {
        return "SigningKey[" + id() + "]";
    }
}
