package drover.kit.grpc;

import drover.kit.tls.Peer;
import drover.model.RefusalCode;
import drover.trust.identity.ServiceName;
import drover.trust.identity.ServicePermission;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a service what is none of its edges. The handshake admitted it, since some method at this
 * door is for it; this one is not (invariant H5).
 */
final class ServicePermissionInterceptor implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(ServicePermissionInterceptor.class);

    private final ServiceName own;

    ServicePermissionInterceptor(ServiceName own) {
        this.own = own;
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        Optional<Peer> peer = Peer.current();
        Optional<ServiceName> from = peer.flatMap(it -> it.id().service()).flatMap(ServiceName::of);
        if (from.filter(it -> ServicePermission.allows(it, own, method)).isEmpty()) {
            String caller = peer.map(it -> it.id().toString()).orElse("Nobody");
            LOG.warn("A call that is no edge was refused peer={} method={}", caller, method);
            throw new Refused(
                    RefusalCode.SERVICE_CALL_NOT_ALLOWED,
                    caller + " may not call " + method + " of the " + own + ".");
        }
        return next.startCall(call, headers);
    }
}
