package drover.opsagent.identity;

import drover.agent.v1.NodeCertificate;
import drover.model.NodeId;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.SpkiPin;
import drover.trust.identity.TlsKeyChainAndTrust;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The node's key with its certificate, as they lie on its disk: one record in one file, replaced as
 * a whole, so that a key never lies beside the chain of another.
 *
 * @param node the id in the certificate
 * @param generation counts the node's certificates
 * @param key the private key, PKCS #8 in PEM
 * @param chain the node's certificate first
 * @param trust whose gateways the node believes
 */
public record NodeKeyAndCertificate(
        String node, long generation, String key, String chain, String trust) {
    /**
     * What a gateway gave for a key.
     *
     * @throws IllegalStateException with one sentence when it could not be dialled with
     */
    static NodeKeyAndCertificate fromCertificate(PendingKey key, NodeCertificate came) {
        NodeKeyAndCertificate identity =
                new NodeKeyAndCertificate(
                        came.getNodeId(),
                        came.getGeneration(),
                        key.key(),
                        came.getChainPem(),
                        came.getTrustPem());
        try {
            var _ = identity.toTlsMaterial();
            return identity;
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "What the gateway sent is not taken: " + e.getMessage());
        }
    }

    /**
     * The parts as connections take them.
     *
     * @throws IllegalArgumentException with one sentence when they do not fit together, or name
     *     another node
     */
    public TlsKeyChainAndTrust toTlsMaterial() {
        TlsKeyChainAndTrust material = TlsKeyChainAndTrust.parse(chain, key, trust);
        SpiffeId named = SpiffeId.of(material.leaf());
        if (!named.node().equals(Optional.of(new NodeId(node)))) {
            throw new IllegalArgumentException(
                    "The certificate names " + named + ", not the node " + node + ".");
        }
        return material;
    }

    /** Pins of the CAs whose gateways the node trusts. */
    Set<SpkiPin> trustedPins() {
        return toTlsMaterial().authorities().stream().map(SpkiPin::of).collect(Collectors.toSet());
    }

    /** The same certificate with the trust of another record. */
    NodeKeyAndCertificate withTrustOf(NodeKeyAndCertificate other) {
        return new NodeKeyAndCertificate(node, generation, key, chain, other.trust);
    }

    /** When the certificate ends. */
    public Instant expiresAt() {
        return toTlsMaterial().leaf().getNotAfter().toInstant();
    }

    /** Never the key (H14). */
    @Override
    public String toString() {
        return "NodeIdentity[node=" + node + ", generation=" + generation + "]";
    }
}
