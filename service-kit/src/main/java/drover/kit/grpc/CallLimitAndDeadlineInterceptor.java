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
 * Limits of concurrent calls and streams, and a deadline for calls, whatever the client sets
 * (invariant I5). A call over a limit gets {@code OVERLOADED} with a time to wait. A call that
 * takes too long ends with {@code DEADLINE}, and so do the calls that it made.
 */
final class CallLimitAndDeadlineInterceptor implements ServerInterceptor {
    private final int most;
    private final Duration longest;
    private final int maxStreams;
    private final ScheduledExecutorService timer;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger streams = new AtomicInteger();

    /**
     * @param timer checks the deadlines; its tasks are short
     */
    CallLimitAndDeadlineInterceptor(
            int most, Duration longest, int mostStreams, ScheduledExecutorService timer) {
        this.most = most;
        this.longest = longest;
        this.maxStreams = mostStreams;
        this.timer = timer;
    }

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        if (call.getMethodDescriptor().getType() != MethodType.UNARY) {
            return startStream(call, headers, next);
        }
        reserve(underWay, most, "calls");
        Context.CancellableContext context =
                Context.current().withDeadlineAfter(longest.toNanos(), NANOSECONDS, timer);
        BoundedCall<A, B> bounded = new BoundedCall<>(call, context);
        context.addListener(bounded, Runnable::run);
        try {
            return new EndListener<>(
                    Contexts.interceptCall(context, bounded, headers, next),
                    bounded::releaseSlotAndContext);
        } catch (RuntimeException e) {
            bounded.releaseSlotAndContext();
            throw e;
        }
    }

    private <A, B> ServerCall.Listener<A> startStream(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        reserve(streams, maxStreams, "streams");
        CountedStream<A, B> counted = new CountedStream<>(call, streams);
        try {
            return new EndListener<>(next.startCall(counted, headers), counted::releaseSlot);
        } catch (RuntimeException e) {
            counted.releaseSlot();
            throw e;
        }
    }

    private static void reserve(AtomicInteger count, int limit, String what) {
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "This endpoint serves %d %s at once already; try again in a second."
                            .formatted(limit, what));
        }
    }

    /** A stream that is counted until either side ends it. */
    private static final class CountedStream<A, B> extends SimpleForwardingServerCall<A, B> {
        private final AtomicInteger count;
        private final AtomicBoolean counted = new AtomicBoolean(true);

        CountedStream(ServerCall<A, B> delegate, AtomicInteger count) {
            super(delegate);
            this.count = count;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            super.close(status, trailers);
            releaseSlot();
        }

        void releaseSlot() {
            if (counted.compareAndSet(true, false)) {
                count.decrementAndGet();
            }
        }
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
            releaseSlotAndContext();
        }

        /** Makes room for another; what is still to be read of the answer counts no more. */
        void releaseSlotAndContext() {
            if (counted.compareAndSet(true, false)) {
                underWay.decrementAndGet();
                context.cancel(null);
            }
        }
    }

    /** Releases the place of a call when it ends. */
    private static final class EndListener<A> extends SimpleForwardingServerCallListener<A> {
        private final Runnable end;

        EndListener(ServerCall.Listener<A> delegate, Runnable end) {
            super(delegate);
            this.end = end;
        }

        @Override
        public void onCancel() {
            end.run();
            super.onCancel();
        }

        @Override
        public void onComplete() {
            end.run();
            super.onComplete();
        }
    }
}
