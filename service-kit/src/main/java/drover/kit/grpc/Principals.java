package drover.kit.grpc;

import drover.kit.access.Principal;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Who makes a call. A door that is {@link GrpcHost.Plan#guardedBy guarded} refuses whoever may not
 * call; its handlers ask {@link #current()}. What a body claims of its sender counts nowhere.
 */
public final class Principals implements ServerInterceptor {
    /** Header of HTTP and of gRPC that carries the key or token, after {@code Bearer}. */
    public static final String HEADER = "authorization";

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of(HEADER, Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<Principal> PRINCIPAL =
            Context.keyWithDefault("drover-principal", Principal.NOBODY);

    private final AccessGate gate;

    Principals(AccessGate gate) {
        this.gate = gate;
    }

    /** What the history records as the actor of the call that this thread handles. */
    public static String current() {
        return principal().actor();
    }

    /** The principal of the call that this thread handles. */
    public static Principal principal() {
        return PRINCIPAL.get();
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        String authorization = headers.get(AUTHORIZATION);
        Principal principal =
                gate.admit(
                        call.getMethodDescriptor().getFullMethodName(),
                        authorization == null ? "" : authorization);
        return Contexts.interceptCall(
                Context.current().withValue(PRINCIPAL, principal), call, headers, next);
    }
}
