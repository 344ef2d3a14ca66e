package drover.gateway.api;

import drover.gateway.engine.credential.CopyDetectingCertificateAuthenticator;
import drover.gateway.engine.limit.NodeCallLimiter;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.kit.grpc.Refused;
import drover.kit.tls.Peer;
import drover.model.NodeId;
import drover.model.RefusalCode;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Lets in whoever proved a node's certificate in the handshake, as the node of its one name
 * (invariant H1), while that certificate speaks for it (H2).
 */
public final class NodeCertificateInterceptor implements ServerInterceptor {
    private final CopyDetectingCertificateAuthenticator certificates;
    private final NodeCallLimiter calls;

    /** Knows the certificates of this book, and limits the calls of each node. */
    public NodeCertificateInterceptor(
            CopyDetectingCertificateAuthenticator certificates, NodeCallLimiter calls) {
        this.certificates = certificates;
        this.calls = calls;
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        if (headers.containsKey(NodeTokenInterceptor.TOKEN)) {
            throw new Refused(
                    RefusalCode.NODE_ID_MISMATCH,
                    "This door knows nodes by their certificates; send no token.");
        }
        Peer peer = currentPeer();
        NodeId named = peer.id().node().orElseThrow();
        calls.acquireOrRefuse(named); // before the query
        NodeIdentity node = certificates.authenticate(named, hexSerial(peer));
        NodeTokenInterceptor.AuthenticatedNode caller =
                new NodeTokenInterceptor.AuthenticatedNode(
                        node, new StreamCredential.Certificate(hexSerial(peer)));
        return NodeTokenInterceptor.proceedAs(caller, call, headers, next);
    }

    /** Whose certificate the handshake of the present call proved. */
    static Peer currentPeer() {
        return Peer.current()
                .orElseThrow(
                        () -> new IllegalStateException("This door was opened without its proof"));
    }

    /** As the store has it. */
    static String hexSerial(Peer peer) {
        return peer.serial().toString(16);
    }
}
