package drover.coordinator.peers;

import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a stream that is written only while the transport can take more. What waits
 * is asked for again when there is room, so that a slow neighbour costs no memory but that of its
 * slots.
 *
 * @param <A> what is sent
 * @param <B> what is received
 */
abstract class PullingOutboundStream<A, B> implements ClientResponseObserver<A, B> {
    private @Nullable ClientCallStreamObserver<A> call;
    private boolean ended;

    /** The next message, or null when nothing waits. Called under this object's lock. */
    abstract @Nullable A nextMessage();

    /** The neighbour can be reached: its transport takes messages. May be called again. */
    void onReady() {}

    /** A message came. */
    abstract void onMessage(B message);

    /** The stream has ended; {@code failure} is null when politely. */
    abstract void onEnd(@Nullable Throwable failure);

    @Override
    public final void beforeStart(ClientCallStreamObserver<A> stream) {
        synchronized (this) {
            call = stream;
        }
        stream.setOnReadyHandler(
                () -> {
                    onReady();
                    flush();
                });
    }

    /** Writes what waits, as long as the transport takes it. */
    final synchronized void flush() {
        ClientCallStreamObserver<A> stream = call;
        while (stream != null && !ended && stream.isReady()) {
            A message = nextMessage();
            if (message == null) {
                return;
            }
            stream.onNext(message);
        }
    }

    /** Ends the stream from this side. */
    final synchronized void end() {
        if (!ended && call != null) {
            ended = true;
            call.cancel("The leader no longer needs it", null);
        }
        ended = true;
        notifyAll();
    }

    /** Waits for the end of the stream, but no longer than this; says whether it has come. */
    final synchronized boolean awaitEnd(Duration most) throws InterruptedException {
        long until = System.nanoTime() + most.toNanos();
        long left = most.toMillis();
        while (!ended && left > 0) {
            wait(left);
            left = Duration.ofNanos(until - System.nanoTime()).toMillis();
        }
        return ended;
    }

    @Override
    public final void onNext(B message) {
        onMessage(message);
    }

    @Override
    public final void onError(Throwable failure) {
        markEnded();
        onEnd(failure);
    }

    @Override
    public final void onCompleted() {
        markEnded();
        onEnd(null);
    }

    private synchronized void markEnded() {
        ended = true;
        notifyAll();
    }

    /** Takes up to {@code most} elements off a queue. */
    static <T> void drain(Deque<T> queue, int most, Consumer<T> to) {
        for (int taken = 0; taken < most && !queue.isEmpty(); taken++) {
            to.accept(queue.removeFirst());
        }
    }

    static <T> Deque<T> newQueue() {
        return new ArrayDeque<>();
    }
}
