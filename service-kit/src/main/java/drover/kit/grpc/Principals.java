package drover.kit.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Who makes a call. Every door that operators use goes {@code through(new Principals())}; handlers
 * ask {@link #current()}. Doors listen on this machine alone for now, so everybody is {@value
 * #LOCAL}.
 */
public final class Principals implements ServerInterceptor {
    /** Whoever can reach a door of this machine. */
    public static final String LOCAL = "local";

    private static final Context.Key<String> PRINCIPAL =
            Context.keyWithDefault("drover-principal", LOCAL);

    /** The principal of the call that this thread handles. */
    public static String current() {
        return PRINCIPAL.get();
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        return Contexts.interceptCall(
                Context.current().withValue(PRINCIPAL, LOCAL), call, headers, next);
    }
}
