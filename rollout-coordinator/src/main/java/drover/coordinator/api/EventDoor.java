package drover.coordinator.api;

import drover.coordinator.announce.Announcement;
import drover.coordinator.engine.DeadLetterRequests;
import drover.coordinator.engine.EventStreams;
import drover.coordinator.engine.Fields;
import drover.coordinator.engine.Nudge;
import drover.coordinator.peers.EventProtos;
import drover.coordinator.store.DeadLetterViews;
import drover.coordinator.store.EventViews;
import drover.coordinator.store.EventViews.Only;
import drover.coordinator.store.EventViews.Sink;
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
import drover.kit.grpc.PrincipalInterceptor;
import drover.model.NodeId;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/** Events for operators and their programs. */
public final class EventDoor extends EventServiceGrpc.EventServiceImplBase {
    private final EventStreams streams;
    private final EventViews views;
    private final DeadLetterViews deadLetters;
    private final DeadLetterRequests requests;

    /** The service over these. */
    public EventDoor(
            EventStreams streams,
            EventViews views,
            DeadLetterViews deadLetters,
            DeadLetterRequests requests) {
        this.streams = streams;
        this.views = views;
        this.deadLetters = deadLetters;
        this.requests = requests;
    }

    @Override
    public void watchEvents(
            WatchEventsRequest request, StreamObserver<WatchEventsResponse> answer) {
        if (!request.getRolloutId().isEmpty()) {
            GrpcCalls.requireUuid(GrpcCalls.rolloutId(request.getRolloutId()));
        }
        if (!request.getNodeId().isEmpty()) {
            Fields.parse("node_id", request.getNodeId(), NodeId::new);
        }
        long place = streams.place(request.getLastEventId(), request.getFromStart());
        streams.begin(
                place,
                new Only(request.getRolloutId(), request.getNodeId()),
                new Outbound((ServerCallStreamObserver<WatchEventsResponse>) answer));
    }

    @Override
    public void listEventSinks(
            ListEventSinksRequest request, StreamObserver<ListEventSinksResponse> answer) {
        ListEventSinksResponse.Builder response = ListEventSinksResponse.newBuilder();
        views.sinks().forEach(sink -> response.addSinks(sink(sink)));
        GrpcCalls.respond(answer, response.build());
    }

    @Override
    public void listDeadLetters(
            ListDeadLettersRequest request, StreamObserver<ListDeadLettersResponse> answer) {
        GrpcCalls.respond(answer, DeadLetterProtos.list(deadLetters, request));
    }

    @Override
    public void retryDeadLetters(
            RetryDeadLettersRequest request, StreamObserver<RetryDeadLettersResponse> answer) {
        int requested =
                requests.retry(request.getSink(), request.getEventIdsList(), PrincipalInterceptor.current());
        GrpcCalls.respond(
                answer, RetryDeadLettersResponse.newBuilder().setRequested(requested).build());
    }

    private static EventSink sink(Sink sink) {
        EventSink.Builder told =
                EventSink.newBuilder()
                        .setName(sink.name())
                        .setKind(sink.kind())
                        .setThrough("%019d".formatted(sink.through()))
                        .setBehind(sink.behind())
                        .setDeadLetters(sink.deadLetters())
                        .setProblem(sink.problem());
        Instant since = sink.failingSince();
        if (since != null) {
            told.setFailingSince(EventProtos.timestamp(since));
        }
        return told.build();
    }

    /** One call: written to by its stream alone, and only while it is ready. */
    private static final class Outbound implements EventStreams.Listener {
        private final ServerCallStreamObserver<WatchEventsResponse> call;
        private final Nudge nudge = new Nudge();
        private final BooleanSupplier admitted = PrincipalInterceptor.stillAuthorized();

        Outbound(ServerCallStreamObserver<WatchEventsResponse> call) {
            this.call = call;
            call.setOnReadyHandler(nudge::give);
            call.setOnCancelHandler(nudge::give);
        }

        @Override
        public boolean ready(Duration atMost) throws InterruptedException {
            if (!call.isReady()) {
                nudge.await(atMost);
            }
            return call.isReady();
        }

        @Override
        public boolean gone() {
            return call.isCancelled();
        }

        @Override
        public boolean mayListen() {
            return admitted.getAsBoolean();
        }

        @Override
        public void take(Announcement announcement) {
            call.onNext(
                    WatchEventsResponse.newBuilder()
                            .setEvent(EventProtos.event(announcement))
                            .build());
        }

        @Override
        public void alive() {
            call.onNext(WatchEventsResponse.getDefaultInstance());
        }

        @Override
        public void end() {
            call.onCompleted();
        }
    }
}
