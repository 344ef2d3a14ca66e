package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;
import drover.kit.Waits;
import drover.kit.rest.HttpServer;
import drover.kit.rest.RestTranscoder;
import drover.model.RefusalCode;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A door over a real socket whose handler answers only when a test lets it. */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its door first
final class CallLimitAndDeadlineInterceptorTest {
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final Semaphore started = new Semaphore(0);
    private final Semaphore answered = new Semaphore(0);
    private final CompletableFuture<Boolean> deadlinePassedOn = new CompletableFuture<>();

    private GrpcServer host;
    private ManagedChannel channel;

    private final class Slow extends RolloutServiceGrpc.RolloutServiceImplBase {
        @Override
        public void listRollouts(
                ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> answer) {
            deadlinePassedOn.complete(io.grpc.Context.current().getDeadline() != null);
            started.release();
            try {
                mayAnswer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answer.onNext(ListRolloutsResponse.getDefaultInstance());
            answer.onCompleted();
            answered.release();
        }
    }

    private void open(int calls, Duration longest) {
        host =
                GrpcServer.builder()
                        .addService(new Slow())
                        .callLimits(calls, longest)
                        .listen(Address.parse("127.0.0.1:0"));
        channel = Channels.open(new Address.Tcp("127.0.0.1", host.port()));
    }

    @AfterEach
    void close() {
        mayAnswer.countDown();
        channel.shutdownNow();
        host.close();
    }

    @Test
    @DisplayName("I5: a call beyond the bound is refused with a time to wait; room is made again")
    void refusesWhatIsTooMuchAtOnce() {
        open(2, Duration.ofSeconds(30));
        CompletableFuture<?> first =
                CompletableFuture.runAsync(this::list, Thread::startVirtualThread);
        CompletableFuture<?> second =
                CompletableFuture.runAsync(this::list, Thread::startVirtualThread);
        started.acquireUninterruptibly(2);

        StatusRuntimeException failure = refusal(stub());

        assertThat(RefusalParser.from(failure).orElseThrow().code())
                .isEqualTo(RefusalCode.OVERLOADED);
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(failure.getStatus().getDescription()).contains("2 calls at once");
        assertThat(retrySeconds(failure)).isEqualTo(1);
        mayAnswer.countDown();
        first.join();
        second.join();
        list();
    }

    @Test
    @DisplayName("I5: REST says 429 and when to come back")
    void restSendsRetryAfter() throws Exception {
        open(1, Duration.ofSeconds(30));
        CompletableFuture<?> first =
                CompletableFuture.runAsync(this::list, Thread::startVirtualThread);
        started.acquireUninterruptibly();
        try (HttpServer http =
                        HttpServer.builder()
                                .rest(
                                        RestTranscoder.of(
                                                channel, RolloutServiceGrpc.getServiceDescriptor()))
                                .listen(new Address.Tcp("127.0.0.1", 0));
                HttpClient client = HttpClient.newHttpClient()) {
            URI list = URI.create("http://127.0.0.1:" + http.port() + "/api/v1/rollouts");

            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(list).build(),
                            HttpResponse.BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("Retry-After")).contains("1");
            assertThat(answer.body()).contains("\"reason\":\"OVERLOADED\"");
            mayAnswer.countDown();
            first.join();
        }
    }

    @Test
    @DisplayName("A call whose client names no deadline ends, though its handler goes on")
    void endsACallThatTakesTooLong() {
        open(1, Duration.ofSeconds(3));

        StatusRuntimeException failure = refusal(stub());

        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        assertThat(RefusalParser.from(failure).orElseThrow().code())
                .isEqualTo(RefusalCode.DEADLINE);
        assertThat(answered.availablePermits()).as("it has not answered yet").isZero();
        assertThat(deadlinePassedOn.join()).as("whom it asks is in a hurry as well").isTrue();
        mayAnswer.countDown();
        answered.acquireUninterruptibly();
        list();
    }

    @Test
    @DisplayName("A client that begins a call and never sends it has its place for a while only")
    void endsACallThatIsNeverSent() {
        open(1, Duration.ofSeconds(3));
        CompletableFuture<Status> end = new CompletableFuture<>();
        ClientCall<ListRolloutsRequest, ListRolloutsResponse> stalled =
                channel.newCall(
                        RolloutServiceGrpc.getListRolloutsMethod().toBuilder()
                                .setType(MethodType.BIDI_STREAMING) // else it would wait to dial
                                .build(),
                        CallOptions.DEFAULT);
        stalled.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                new Metadata());

        assertThat(end.orTimeout(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS).join().getCode())
                .isEqualTo(Status.Code.DEADLINE_EXCEEDED);

        mayAnswer.countDown();
        list();
    }

    private RolloutServiceBlockingStub stub() {
        return RolloutServiceGrpc.newBlockingStub(channel);
    }

    private void list() {
        var _ = stub().listRollouts(ListRolloutsRequest.getDefaultInstance());
    }

    private static StatusRuntimeException refusal(RolloutServiceBlockingStub stub) {
        return catchThrowableOfType(
                StatusRuntimeException.class,
                () -> stub.listRollouts(ListRolloutsRequest.getDefaultInstance()));
    }

    private static long retrySeconds(StatusRuntimeException failure) {
        for (Any detail :
                Objects.requireNonNull(StatusProto.fromThrowable(failure)).getDetailsList()) {
            if (detail.is(RetryInfo.class)) {
                try {
                    return detail.unpack(RetryInfo.class).getRetryDelay().getSeconds();
                } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                    throw new AssertionError("An unreadable detail was sent", e);
                }
            }
        }
        return -1;
    }
}
