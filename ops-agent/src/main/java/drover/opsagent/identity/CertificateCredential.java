package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import io.grpc.Metadata;

/**
 * The certificate that the node was enrolled with, or its latest renewal: read from the disk before
 * each dial, for another agent of the node may have renewed it (SECURITY, enrolment 4).
 */
public final class CertificateCredential implements NodeCredential {
    private final IdentityFile file;

    /** Of the node whose identity lies there. */
    public CertificateCredential(IdentityFile file) {
        this.file = file;
    }

    @Override
    public Dial to(GatewayAddress gateway) {
        NodeIdentity node = file.required();
        return new Dial(gateway.open(NodeTls.as(node)), new Metadata(), node.node());
    }
}
