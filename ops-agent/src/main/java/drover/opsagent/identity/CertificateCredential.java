package drover.opsagent.identity;

import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import io.grpc.Metadata;
import java.util.Optional;

/**
 * The certificate that the node was enrolled with, or its latest renewal: read from the disk before
 * each dial, for another agent of the node may have renewed it (SECURITY, enrolment 4).
 */
public final class CertificateCredential implements NodeCredential {
    private final IdentityFile file;
    private final Optional<EnrollmentConfig> join;

    /** Of the node whose identity lies there. */
    public CertificateCredential(IdentityFile file) {
        this(file, Optional.empty());
    }

    /**
     * Of the node whose identity lies there.
     *
     * @param join where somebody makes this machine a node: it is told of, and not used
     */
    public CertificateCredential(IdentityFile file, Optional<EnrollmentConfig> join) {
        this.file = file;
        this.join = join;
    }

    @Override
    public PreparedConnection prepareConnection(GatewayAddress gateway) {
        NodeKeyAndCertificate node = file.requireIdentity(EnrollmentConfig.certificateRemedy(join));
        return new PreparedConnection(
                gateway.openChannel(NodeTls.credentialsFor(node)), new Metadata(), node.node());
    }
}
