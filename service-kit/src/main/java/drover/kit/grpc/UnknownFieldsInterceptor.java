package drover.kit.grpc;

import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/**
 * Refuses requests of which a part is not known here: what an operator asks for by a newer command
 * line is done whole or not at all. For doors of people; programs of neighbouring versions ignore
 * what the other one says more.
 */
public final class UnknownFieldsInterceptor implements ServerInterceptor {
    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        return new SimpleForwardingServerCallListener<A>(next.startCall(call, headers)) {
            @Override
            public void onMessage(A request) {
                if (request instanceof Message message) {
                    var _ = UnknownFieldCheck.requireKnown(message);
                }
                super.onMessage(request);
            }
        };
    }
}
