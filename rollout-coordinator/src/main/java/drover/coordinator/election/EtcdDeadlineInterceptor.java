package drover.coordinator.election;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Every call to etcd ends, but for the one that waits to be elected. */
record EtcdDeadlineInterceptor(Duration timeout) implements ClientInterceptor {
    private static final String CAMPAIGN = "Campaign";

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        boolean waits = CAMPAIGN.equals(method.getBareMethodName());
        return next.newCall(
                method,
                waits
                        ? options
                        : options.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS));
    }
}
