package drover.gateway.api;

import drover.agent.v1.NodeCertificate;
import drover.gateway.identity.IssuedCertificate;

/** Renders certificates that nodes are given. */
final class IssuedCertificateProtos {
    private IssuedCertificateProtos() {}

    /**
     * @param trustPem whose gateways the node believes
     */
    static NodeCertificate toNodeCertificate(IssuedCertificate given, String trustPem) {
        return NodeCertificate.newBuilder()
                .setNodeId(given.node().value())
                .setChainPem(given.pem())
                .setTrustPem(trustPem)
                .setGeneration(given.generation())
                .setExpiresAt(NodeDirectoryProtos.toTimestamp(given.expiresAt()))
                .build();
    }
}
