package drover.kit.grpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import drover.model.RefusalCode;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many single calls a door serves at once, and how long one may take, whatever its client says
 * (invariant I5). A call beyond the bound is refused {@code OVERLOADED} with a time to wait; one
 * that takes too long is ended {@code DEADLINE}, and so is everything that it asked of others.
 * Streams bound themselves: they are meant to last.
 */
final class CallLimits implements ServerInterceptor {
    private final int most;
    private final Duration longest;
    private final ScheduledExecutorService timer;
    private final AtomicInteger underWay = new AtomicInteger();

    /**
     * @param timer looks at the deadlines; does nothing that lasts
     */
    CallLimits(int most, Duration longest, ScheduledExecutorService timer) {
        this.most = most;
        this.longest = longest;
        this.timer = timer;
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        if (call.getMethodDescriptor().getType() != MethodType.UNARY) {
            return next.startCall(call, headers);
        }
        if (underWay.incrementAndGet() > most) {
            underWay.decrementAndGet();
            throw overloaded();
        }
        Context.CancellableContext context =
                Context.current().withDeadlineAfter(longest.toNanos(), NANOSECONDS, timer);
        BoundedCall<A, B> bounded = new BoundedCall<>(call, context);
        context.addListener(bounded, Runnable::run);
        try {
            return new BoundedListener<>(
                    Contexts.interceptCall(context, bounded, headers, next), bounded);
        } catch (RuntimeException e) {
            bounded.end();
            throw e;
        }
    }

    private Refused overloaded() {
        return new Refused(
                RefusalCode.OVERLOADED,
                "This door serves " + most + " calls at once already; try again in a second.");
    }

    /** Lets nothing through after its end, which the timer and the handler may both bring about. */
    private final class BoundedCall<A, B> extends SimpleForwardingServerCall<A, B>
            implements Context.CancellationListener {
        private final Context.CancellableContext context;
        private final AtomicBoolean counted = new AtomicBoolean(true);
        private boolean closed;

        BoundedCall(ServerCall<A, B> delegate, Context.CancellableContext context) {
            super(delegate);
            this.context = context;
        }

        @Override
        public void cancelled(Context over) {
            if (over.cancellationCause() instanceof TimeoutException) {
                close(Status.DEADLINE_EXCEEDED, new Metadata());
            }
        }

        @Override
        public synchronized void sendHeaders(Metadata headers) {
            if (!closed) {
                super.sendHeaders(headers);
            }
        }

        @Override
        public synchronized void sendMessage(B message) {
            if (!closed) {
                super.sendMessage(message);
            }
        }

        @Override
        public void close(Status status, Metadata trailers) {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                super.close(status, trailers);
            }
            end();
        }

        /** Makes room for another; what is still to be read of the answer counts no more. */
        void end() {
            if (counted.compareAndSet(true, false)) {
                underWay.decrementAndGet();
                context.cancel(null);
            }
        }
    }

    private static final class BoundedListener<A, B> extends SimpleForwardingServerCallListener<A> {
        private final CallLimits.BoundedCall<A, B> call;

        BoundedListener(ServerCall.Listener<A> delegate, CallLimits.BoundedCall<A, B> call) {
            super(delegate);
            this.call = call;
        }

        @Override
        public void onCancel() {
            call.end();
            super.onCancel();
        }

        @Override
        public void onComplete() {
            call.end();
            super.onComplete();
        }
    }
}
