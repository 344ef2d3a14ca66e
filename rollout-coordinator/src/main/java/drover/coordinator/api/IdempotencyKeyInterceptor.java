package drover.coordinator.api;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/** Reads the idempotency key of a call. */
public final class IdempotencyKeyInterceptor implements ServerInterceptor {
    private static final Metadata.Key<String> HEADER =
            Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<String> KEY = Context.keyWithDefault("idempotency-key", "");
    private static final int LONGEST = 200;

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        String key = headers.get(HEADER);
        if (key == null) {
            return next.startCall(call, headers);
        }
        if (key.length() > LONGEST) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "An idempotency key has 200 characters at the most.",
                    "idempotency-key");
        }
        return Contexts.interceptCall(Context.current().withValue(KEY, key), call, headers, next);
    }

    /** The key of the present call; empty when there is none. */
    public static String currentIdempotencyKey() {
        return KEY.get();
    }
}
