package drover.coordinator.api.export;

import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.engine.create.RefusingFieldParser;
import drover.coordinator.engine.export.EventStreams;
import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.engine.request.DeadLetterRetryRequester;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.peers.EventProtos;
import drover.coordinator.store.export.DeadLetterViews;
import drover.coordinator.store.export.EventViews;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.export.EventViews.SinkProgress;
import drover.event.v1.EventServiceGrpc;
import drover.event.v1.EventSink;
import drover.event.v1.ListDeadLettersRequest;
import drover.event.v1.ListDeadLettersResponse;
import drover.event.v1.ListEventSinksRequest;
import drover.event.v1.ListEventSinksResponse;
import drover.event.v1.RetryDeadLettersRequest;
import drover.event.v1.RetryDeadLettersResponse;
import drover.event.v1.WatchEventsRequest;
import drover.event.v1.WatchEventsResponse;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.model.NodeId;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/** Events for operators and their programs. */
public final class EventGrpcService extends EventServiceGrpc.EventServiceImplBase {
    private final EventStreams streams;
    private final EventViews views;
    private final DeadLetterViews deadLetters;
    private final DeadLetterRetryRequester requests;

    /** The service over these. */
    public EventGrpcService(
            EventStreams streams,
            EventViews views,
            DeadLetterViews deadLetters,
            DeadLetterRetryRequester requests) {
        this.streams = streams;
        this.views = views;
        this.deadLetters = deadLetters;
        this.requests = requests;
    }

    @Override
    public void watchEvents(
            WatchEventsRequest request, StreamObserver<WatchEventsResponse> answer) {
        if (!request.getRolloutId().isEmpty()) {
            RolloutIdCallHelpers.requireUuid(
                    RolloutIdCallHelpers.parseRolloutId(request.getRolloutId()));
        }
        if (!request.getNodeId().isEmpty()) {
            RefusingFieldParser.parse("node_id", request.getNodeId(), NodeId::new);
        }
        long place = streams.resolvePosition(request.getLastEventId(), request.getFromStart());
        streams.start(
                place,
                new RolloutAndNodeFilter(request.getRolloutId(), request.getNodeId()),
                new GrpcEventListener((ServerCallStreamObserver<WatchEventsResponse>) answer));
    }

    @Override
    public void listEventSinks(
            ListEventSinksRequest request, StreamObserver<ListEventSinksResponse> answer) {
        ListEventSinksResponse.Builder response = ListEventSinksResponse.newBuilder();
        views.sinks().forEach(sink -> response.addSinks(toSink(sink)));
        RolloutIdCallHelpers.respond(answer, response.build());
    }

    @Override
    public void listDeadLetters(
            ListDeadLettersRequest request, StreamObserver<ListDeadLettersResponse> answer) {
        RolloutIdCallHelpers.respond(answer, DeadLetterPageReader.listPage(deadLetters, request));
    }

    @Override
    public void retryDeadLetters(
            RetryDeadLettersRequest request, StreamObserver<RetryDeadLettersResponse> answer) {
        int requested =
                requests.requestRetry(
                        request.getSink(),
                        request.getEventIdsList(),
                        AuthorizationInterceptor.currentActor());
        RolloutIdCallHelpers.respond(
                answer, RetryDeadLettersResponse.newBuilder().setRequested(requested).build());
    }

    private static EventSink toSink(SinkProgress sink) {
        EventSink.Builder rendered =
                EventSink.newBuilder()
                        .setName(sink.name())
                        .setKind(sink.kind())
                        .setLastDelivered("%019d".formatted(sink.lastDelivered()))
                        .setLag(sink.lag())
                        .setDeadLetters(sink.deadLetters())
                        .setProblem(sink.problem());
        Instant since = sink.failingSince();
        if (since != null) {
            rendered.setFailingSince(EventProtos.toTimestamp(since));
        }
        return rendered.build();
    }

    /** One call: written to by its stream alone, and only while it is ready. */
    private static final class GrpcEventListener implements EventStreams.Listener {
        private final ServerCallStreamObserver<WatchEventsResponse> call;
        private final WakeupSignal wakeup = new WakeupSignal();
        private final BooleanSupplier admitted = AuthorizationInterceptor.authorizationCheck();

        GrpcEventListener(ServerCallStreamObserver<WatchEventsResponse> call) {
            this.call = call;
            call.setOnReadyHandler(wakeup::signal);
            call.setOnCancelHandler(wakeup::signal);
        }

        @Override
        public boolean awaitReady(Duration atMost) throws InterruptedException {
            if (!call.isReady()) {
                wakeup.await(atMost);
            }
            return call.isReady();
        }

        @Override
        public boolean isClosed() {
            return call.isCancelled();
        }

        @Override
        public boolean isAuthorized() {
            return admitted.getAsBoolean();
        }

        @Override
        public void send(RolloutEvent announcement) {
            call.onNext(
                    WatchEventsResponse.newBuilder()
                            .setEvent(EventProtos.toEvent(announcement))
                            .build());
        }

        @Override
        public void sendKeepAlive() {
            call.onNext(WatchEventsResponse.getDefaultInstance());
        }

        @Override
        public void onEnd() {
            call.onCompleted();
        }
    }
}
