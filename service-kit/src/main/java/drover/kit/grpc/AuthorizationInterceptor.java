package drover.kit.grpc;

import drover.kit.access.Principal;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.function.BooleanSupplier;

/**
 * Who makes a call. A door that is {@link GrpcServer.Builder#accessControl guarded} refuses whoever
 * may not call; its handlers ask {@link #currentActor()}. What a body claims of its sender counts
 * nowhere.
 */
public final class AuthorizationInterceptor implements ServerInterceptor {
    /** Header of HTTP and of gRPC that carries the key or token, after {@code Bearer}. */
    public static final String HEADER = "authorization";

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of(HEADER, Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<Principal> PRINCIPAL =
            Context.keyWithDefault("drover-principal", Principal.ANONYMOUS);

    private static final Context.Key<BooleanSupplier> STILL_AUTHORIZED =
            Context.keyWithDefault("drover-still-admitted", () -> true);

    private final ScopeAuthorizer gate;

    AuthorizationInterceptor(ScopeAuthorizer gate) {
        this.gate = gate;
    }

    /** What the history records as the actor of the call that this thread handles. */
    public static String currentActor() {
        return currentPrincipal().actor();
    }

    /** The principal of the call that this thread handles. */
    public static Principal currentPrincipal() {
        return PRINCIPAL.get();
    }

    /**
     * Whether the call that this thread handles would still be admitted: for calls that last, since
     * a key can be revoked and a token expires meanwhile. A gate that cannot tell refuses nobody.
     */
    public static BooleanSupplier authorizationCheck() {
        return STILL_AUTHORIZED.get();
    }

    private boolean isNotDenied(String method, String authorization) {
        try {
            gate.authorize(method, authorization);
            return true;
        } catch (Refused e) {
            return switch (e.code().kind()) {
                case UNAUTHENTICATED, PERMISSION_DENIED -> false;
                default -> true;
            };
        }
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        String header = headers.get(AUTHORIZATION);
        String authorization = header == null ? "" : header;
        String method = call.getMethodDescriptor().getFullMethodName();
        Principal principal = gate.authorize(method, authorization);
        BooleanSupplier still = () -> isNotDenied(method, authorization);
        Context context =
                Context.current()
                        .withValue(PRINCIPAL, principal)
                        .withValue(STILL_AUTHORIZED, still);
        return Contexts.interceptCall(context, call, headers, next);
    }
}
