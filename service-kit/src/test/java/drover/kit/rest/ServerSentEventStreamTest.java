package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;

import drover.event.v1.Event;
import drover.event.v1.EventServiceGrpc;
import drover.event.v1.WatchEventsRequest;
import drover.event.v1.WatchEventsResponse;
import drover.kit.Waits;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.ManagedChannel;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ServerSentEventStreamTest {
    private static final Address.Tcp ANY_PORT = new Address.Tcp("127.0.0.1", 0);

    private final HttpClient client = HttpClient.newHttpClient();
    private final CountDownLatch removed = new CountDownLatch(1);
    private final Address inside = new Address.InProcess("events-" + UUID.randomUUID());
    private final GrpcServer services =
            GrpcServer.builder().addService(new FakeEvents()).listen(inside);
    private final ManagedChannel channel = Channels.open(inside);
    private final HttpServer host =
            HttpServer.builder()
                    .rest(RestTranscoder.of(channel, EventServiceGrpc.getServiceDescriptor()))
                    .listen(ANY_PORT);

    /** Tells what it was asked, once; a node named "forever" is never done. */
    private final class FakeEvents extends EventServiceGrpc.EventServiceImplBase {
        @Override
        public void watchEvents(
                WatchEventsRequest request, StreamObserver<WatchEventsResponse> answer) {
            if (request.getLastEventId().equals("lost")) {
                throw new Refused(RefusalCode.EVENT_UNKNOWN, "Start without it.", "last_event_id");
            }
            ((ServerCallStreamObserver<WatchEventsResponse>) answer)
                    .setOnCancelHandler(removed::countDown);
            answer.onNext(WatchEventsResponse.getDefaultInstance());
            answer.onNext(
                    WatchEventsResponse.newBuilder()
                            .setEvent(
                                    Event.newBuilder()
                                            .setId("17-" + request.getLastEventId())
                                            .setType("drover.rollout.started")
                                            .setSubject("of " + request.getRolloutId() + "\nall"))
                            .build());
            if (!request.getNodeId().equals("forever")) {
                answer.onCompleted();
            }
        }
    }

    @AfterEach
    void close() {
        host.close();
        channel.shutdownNow();
        services.close();
    }

    private java.net.http.HttpRequest.Builder request(String query) {
        return java.net.http.HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + host.port() + "/api/v1/events" + query));
    }

    @Test
    void aStreamingMethodAnswersWithServerSentEvents() throws Exception {
        var answer = client.send(request("?rollout_id=r-1").build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(answer.body())
                .isEqualTo(
                        """
                        : still here

                        id: 17-
                        event: drover.rollout.started
                        data: {"id":"17-","type":"drover.rollout.started","subject":"of r-1\\nall"}

                        """);
    }

    @Test
    void theLastEventComesFromItsHeader() throws Exception {
        var answer =
                client.send(
                        request("").header("Last-Event-ID", "seen").build(),
                        BodyHandlers.ofString());
        assertThat(answer.body()).contains("id: 17-seen\n");
    }

    @Test
    void aRefusalIsAProblemAndNoStream() throws Exception {
        var answer = client.send(request("?last_event_id=lost").build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("\"reason\":\"EVENT_UNKNOWN\"");
    }

    @Test
    void serviceDetectsADisconnectedListener() throws Exception {
        InputStream body =
                client.send(request("?node_id=forever").build(), BodyHandlers.ofInputStream())
                        .body();
        assertThat(new String(body.readNBytes(16), StandardCharsets.UTF_8))
                .isEqualTo(": still here\n\nid");
        host.close();
        assertThat(removed.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        body.close();
    }
}
