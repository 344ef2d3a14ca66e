package drover.gateway.engine.credential;

import drover.gateway.identity.IssuedCertificate;
import drover.kit.ca.CertificateAuthority;
import drover.kit.ca.CertificateRequestKeyVerifier;
import drover.kit.ca.CertificateTemplate;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.trust.identity.TrustDomain;
import java.math.BigInteger;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Makes certificates of nodes: everything in them is decided here but the key. */
public final class NodeCertificateSigner {
    private final CertificateAuthority authority;
    private final TrustDomain domain;
    private final Duration life;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param authority that signs nodes
     * @param life of a certificate
     */
    public NodeCertificateSigner(
            CertificateAuthority authority,
            TrustDomain domain,
            Duration life,
            InstantSource clock) {
        this.authority = authority;
        this.domain = domain;
        this.life = life;
        this.clock = clock;
    }

    /**
     * The key that a request proves.
     *
     * @param request PKCS #10 in DER, from anybody at all
     * @throws Refused when it is none, or not proven
     */
    static PublicKey verifyAndGetKey(byte[] request) {
        try {
            return CertificateRequestKeyVerifier.verifiedKey(request);
        } catch (IllegalArgumentException e) {
            throw new Refused(
                    RefusalCode.SIGNING_REQUEST_INVALID,
                    String.valueOf(e.getMessage()),
                    "certificate_request");
        }
    }

    /** A certificate of this generation. */
    IssuedCertificate issue(NodeId node, long generation, PublicKey key) {
        BigInteger serial = CertificateTemplate.newSerial(random);
        X509Certificate leaf =
                authority.issue(
                        CertificateTemplate.ofNode(
                                domain.node(node), serial, clock.instant(), life),
                        key);
        return new IssuedCertificate(
                node,
                generation,
                serial.toString(16),
                Digest.of(key.getEncoded()),
                leaf.getNotAfter().toInstant(),
                CertificateAuthority.toPem(List.of(leaf)));
    }
}
