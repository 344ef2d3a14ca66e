package drover.gateway.api;

import drover.gateway.engine.credential.NodeTokenAuthenticator;
import drover.gateway.engine.limit.NodeCallLimiter;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.RefusalCode;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Lets in whoever shows a known token, as the node that the token belongs to (invariant H1). Only
 * the token's SHA-256 is ever compared or stored.
 */
public final class NodeTokenInterceptor implements ServerInterceptor {
    /** Where an agent shows its token. */
    public static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("drover-node-token", Metadata.ASCII_STRING_MARSHALLER);

    private static final Context.Key<AuthenticatedNode> CALLER = Context.key("drover-node");

    /** Who calls, and what proved it. */
    record AuthenticatedNode(NodeIdentity node, StreamCredential credential) {}

    private final NodeTokenAuthenticator credentials;
    private final NodeCallLimiter calls;

    /** Knows the tokens of this book, and limits the calls with each token. */
    public NodeTokenInterceptor(NodeTokenAuthenticator credentials, NodeCallLimiter calls) {
        this.credentials = credentials;
        this.calls = calls;
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        String token = headers.get(TOKEN);
        if (token == null || token.isEmpty()) {
            throw new Refused(
                    RefusalCode.NODE_CREDENTIAL_UNKNOWN,
                    "No token was shown; an agent sends its node's token as metadata"
                            + " drover-node-token.");
        }
        Digest shown = Digest.of(token);
        calls.acquireOrRefuse(shown); // before the query
        StreamCredential proof = new StreamCredential.NodeTokenDigest(shown);
        return proceedAs(
                new AuthenticatedNode(credentials.authenticate(token), proof), call, headers, next);
    }

    /** Goes on as this node. */
    static <A, B> ServerCall.Listener<A> proceedAs(
            AuthenticatedNode caller,
            ServerCall<A, B> call,
            Metadata headers,
            ServerCallHandler<A, B> next) {
        return Contexts.interceptCall(
                Context.current().withValue(CALLER, caller), call, headers, next);
    }

    /** The node that the present call proved to be. */
    static AuthenticatedNode currentCaller() {
        AuthenticatedNode caller = CALLER.get();
        if (caller == null) {
            throw new IllegalStateException("The agents' door was opened without its interceptor");
        }
        return caller;
    }
}
