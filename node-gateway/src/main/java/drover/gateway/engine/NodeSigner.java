package drover.gateway.engine;

import drover.gateway.identity.GivenCertificate;
import drover.kit.authority.Authority;
import drover.kit.authority.CertificatePlan;
import drover.kit.authority.SigningRequest;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.identity.TrustDomain;
import java.math.BigInteger;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Makes certificates of nodes: everything in them is decided here but the key. */
public final class NodeSigner {
    private final Authority authority;
    private final TrustDomain domain;
    private final Duration life;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param authority that signs nodes
     * @param life of a certificate
     */
    public NodeSigner(Authority authority, TrustDomain domain, Duration life, InstantSource clock) {
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
    static PublicKey proven(byte[] request) {
        try {
            return SigningRequest.provenKey(request);
        } catch (IllegalArgumentException e) {
            throw new Refused(
                    RefusalCode.SIGNING_REQUEST_INVALID,
                    String.valueOf(e.getMessage()),
                    "certificate_request");
        }
    }

    /** A certificate of this generation. */
    GivenCertificate issue(NodeId node, long generation, PublicKey key) {
        BigInteger serial = CertificatePlan.newSerial(random);
        X509Certificate leaf =
                authority.issue(
                        CertificatePlan.ofNode(domain.node(node), serial, clock.instant(), life),
                        key);
        return new GivenCertificate(
                node,
                generation,
                serial.toString(16),
                Digest.of(key.getEncoded()),
                leaf.getNotAfter().toInstant(),
                Authority.pem(List.of(leaf)));
    }
}
