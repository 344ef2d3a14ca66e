package drover.kit.grpc;

import drover.model.RefusalCode;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * No failure leaves a service without a reason code and a sentence, and no stack trace leaves it at
 * all. A {@link Refused} becomes its status; anything else that is thrown is a bug: it is logged
 * whole and sent as {@code INTERNAL}.
 */
public final class ErrorConformanceInterceptor implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorConformanceInterceptor.class);

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        ConformingCall<A, B> conforming = new ConformingCall<>(call);
        try {
            return new GuardedListener<>(next.startCall(conforming, headers), conforming);
        } catch (RuntimeException e) {
            conforming.fail(e);
            return new ServerCall.Listener<>() {};
        }
    }

    private static StatusRuntimeException logAsInternalError(
            String method, @Nullable Throwable cause) {
        LOG.error("A call failed by a bug method={}", method, cause);
        return new Refused(RefusalCode.INTERNAL, "Drover made a mistake; its log has the details.")
                .toStatus();
    }

    /** Gives every failure that lacks a reason one. */
    private static final class ConformingCall<A, B> extends SimpleForwardingServerCall<A, B> {
        private final AtomicBoolean closed = // a handler and its deadline may both end a call
                new AtomicBoolean();

        ConformingCall(ServerCall<A, B> delegate) {
            super(delegate);
        }

        void fail(RuntimeException thrown) {
            if (!closed.get()) {
                Status status = Status.UNKNOWN.withCause(thrown);
                close(status, new Metadata());
            }
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            StatusRuntimeException failure = replacementFailure(status, trailers);
            if (failure == null) {
                super.close(status, trailers);
            } else {
                Metadata details = Status.trailersFromThrowable(failure);
                super.close(failure.getStatus(), details == null ? new Metadata() : details);
            }
        }

        /** The failure to send instead, or null when the status may go as it is. */
        private @Nullable StatusRuntimeException replacementFailure(
                Status status, Metadata trailers) {
            if (status.isOk()) {
                return null;
            }
            Throwable cause = status.getCause();
            if (cause instanceof Refused refused) {
                return refused.toStatus();
            }
            if (RefusalParser.from(new StatusRuntimeException(status, trailers)).isPresent()) {
                return null;
            }
            return switch (status.getCode()) {
                case CANCELLED -> null; // the caller has gone; nobody reads it
                case DEADLINE_EXCEEDED ->
                        new Refused(RefusalCode.DEADLINE, "The answer did not come in time.")
                                .toStatus();
                case UNIMPLEMENTED ->
                        new Refused(RefusalCode.METHOD_NOT_ALLOWED, "There is no such method.")
                                .toStatus();
                case RESOURCE_EXHAUSTED ->
                        new Refused(RefusalCode.OVERLOADED, String.valueOf(status.getDescription()))
                                .toStatus();
                default ->
                        logAsInternalError(
                                getMethodDescriptor().getFullMethodName(),
                                cause == null ? status.asRuntimeException() : cause);
            };
        }
    }

    /** Turns what a handler throws into the call's end. */
    private static final class GuardedListener<A> extends SimpleForwardingServerCallListener<A> {
        private final ConformingCall<A, ?> call;

        GuardedListener(ServerCall.Listener<A> delegate, ConformingCall<A, ?> call) {
            super(delegate);
            this.call = call;
        }

        @Override
        public void onMessage(A message) {
            runGuarded(() -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            runGuarded(super::onHalfClose);
        }

        @Override
        public void onReady() {
            runGuarded(super::onReady);
        }

        private void runGuarded(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException e) {
                call.fail(e);
            }
        }
    }
}
