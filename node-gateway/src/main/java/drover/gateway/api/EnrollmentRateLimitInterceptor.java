package drover.gateway.api;

import drover.gateway.engine.limit.EnrollmentRateLimiter;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Slows down whoever tries to get in too often, before anything else is looked at. */
public final class EnrollmentRateLimitInterceptor implements ServerInterceptor {
    private final EnrollmentRateLimiter pace;

    /** By this pace. */
    public EnrollmentRateLimitInterceptor(EnrollmentRateLimiter pace) {
        this.pace = pace;
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        SocketAddress from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        pace.acquireOrRefuse(
                from instanceof InetSocketAddress address
                        ? EnrollmentRateLimiter.sourceKey(address.getAddress())
                        : "inside");
        return next.startCall(call, headers);
    }
}
