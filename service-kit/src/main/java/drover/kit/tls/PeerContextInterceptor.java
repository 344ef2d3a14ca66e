package drover.kit.tls;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Hands the certificate of the handshake on to handlers, as {@link Peer#current()}. */
public final class PeerContextInterceptor implements ServerInterceptor {
    static final Context.Key<Peer> PEER = Context.key("drover-peer");

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        return leaf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION))
                .map(Peer::of)
                .map(
                        peer ->
                                Contexts.interceptCall(
                                        Context.current().withValue(PEER, peer),
                                        call,
                                        headers,
                                        next))
                .orElseGet(() -> next.startCall(call, headers));
    }

    private static Optional<X509Certificate> leaf(@Nullable SSLSession session) {
        try {
            return session != null
                            && session.getPeerCertificates()[0] instanceof X509Certificate leaf
                    ? Optional.of(leaf)
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty(); // this door asks for none
        }
    }
}
