package drover.gateway.identity;

import drover.model.Digest;
import drover.model.NodeId;
import java.time.Instant;

/**
 * A certificate that a node was given.
 *
 * @param generation counts the certificates of this node
 * @param serial in hexadecimal
 * @param publicKey SHA-256 of the key that it certifies
 * @param pem the certificate alone
 */
public record IssuedCertificate(
        NodeId node,
        long generation,
        String serial,
        Digest publicKey,
        Instant expiresAt,
        String pem) {}
