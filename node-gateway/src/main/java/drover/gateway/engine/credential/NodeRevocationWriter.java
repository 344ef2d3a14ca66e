package drover.gateway.engine.credential;

import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.store.NodeCertificateStore;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends whatever proves a node, because an operator says so. */
public final class NodeRevocationWriter {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRevocationWriter.class);

    private final NodeCertificateStore store;

    /** Over this store. */
    public NodeRevocationWriter(NodeCertificateStore store) {
        this.store = store;
    }

    /**
     * Ends the certificates and the token of a node, and the join tokens that name it. Every
     * gateway ends its streams at its next look. The same again ends what came meanwhile.
     *
     * @param by a principal
     * @throws Refused when there is no such node, and when the database is away
     */
    public NodeRevocationCounts revoke(NodeId node, String by) {
        NodeRevocationCounts ended =
                JoinTokenService.refuseIfUnavailable(() -> store.revokeNode(node, by))
                        .orElseThrow(
                                () ->
                                        new Refused(
                                                RefusalCode.NODE_NOT_FOUND,
                                                "There is no node %s; look at 'drover node list'."
                                                        .formatted(node),
                                                "node_id"));
        LOG.info(
                "A node is revoked nodeId={} actor={} certificates={} joinTokens={}",
                node,
                by,
                ended.certificates(),
                ended.joinTokens());
        return ended;
    }
}
