package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Keeps what a stream said. */
public final class StreamRecorder<Q, R> implements ClientResponseObserver<Q, R> {

    private final List<R> received = new CopyOnWriteArrayList<>();
    private final boolean reads;
    private volatile boolean ended;
    private volatile Consumer<R> ear = _ -> {};
    private volatile @Nullable Throwable failure;
    private volatile @Nullable ClientCallStreamObserver<Q> call;

    private StreamRecorder(boolean reads) {
        this.reads = reads;
    }

    public static <Q, R> StreamRecorder<Q, R> reading() {
        return new StreamRecorder<>(true);
    }

    /** Never asks for a message, until {@link #readOn}. */
    static <Q, R> StreamRecorder<Q, R> notReading() {
        return new StreamRecorder<>(false);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> requests) {
        call = requests;
        if (!reads) {
            requests.disableAutoRequestWithInitial(0);
        }
    }

    void readOn(int messages) {
        Objects.requireNonNull(call).request(messages);
    }

    @Override
    public void onNext(R message) {
        received.add(message);
        ear.accept(message);
    }

    /** From now on somebody is told at once what is heard. */
    void forwardTo(Consumer<R> receiver) {
        ear = receiver;
    }

    @Override
    public void onError(Throwable cause) {
        failure = cause;
        ended = true;
    }

    @Override
    public void onCompleted() {
        ended = true;
    }

    public List<R> received() {
        return List.copyOf(received);
    }

    public boolean ended() {
        return ended;
    }

    /** Waits until a message like this was heard; the first such. */
    public R awaitMessage(Predicate<R> wanted) {
        await().atMost(Waits.LIMIT)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> received.stream().anyMatch(wanted));
        return received.stream().filter(wanted).findFirst().orElseThrow();
    }

    /** Waits until the stream was refused; with which reason. */
    public RefusalCode refusal() {
        await().atMost(Waits.LIMIT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> ended);
        assertThat(failure).isInstanceOf(StatusRuntimeException.class);
        return RefusalParser.from((StatusRuntimeException) Objects.requireNonNull(failure))
                .map(Refused::code)
                .orElseThrow(() -> new AssertionError("No reason: " + failure, failure));
    }

    io.grpc.Status.Code failureCode() {
        await().atMost(Waits.LIMIT).pollInterval(Duration.ofMillis(5)).until(() -> ended);
        return io.grpc.Status.fromThrowable(Objects.requireNonNull(failure)).getCode();
    }
}
