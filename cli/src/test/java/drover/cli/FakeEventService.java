package drover.cli;

import drover.event.v1.DeadLetter;
import drover.event.v1.Event;
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
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Streams of events that end; without any left, nobody answers. */
final class FakeEventService extends EventServiceGrpc.EventServiceImplBase {
    final List<WatchEventsRequest> requested = new CopyOnWriteArrayList<>();
    final Deque<List<Event>> streams = new ArrayDeque<>();
    final List<EventSink> sinks = new ArrayList<>();
    final List<DeadLetter> deadLetters = new ArrayList<>();
    final List<RetryDeadLettersRequest> retried = new CopyOnWriteArrayList<>();

    @Override
    public void watchEvents(
            WatchEventsRequest request, StreamObserver<WatchEventsResponse> answer) {
        requested.add(request);
        if (streams.isEmpty()) {
            answer.onError(Status.UNAVAILABLE.asRuntimeException());
            return;
        }
        answer.onNext(WatchEventsResponse.getDefaultInstance());
        streams.poll()
                .forEach(
                        event ->
                                answer.onNext(
                                        WatchEventsResponse.newBuilder().setEvent(event).build()));
        answer.onCompleted();
    }

    @Override
    public void listEventSinks(
            ListEventSinksRequest request, StreamObserver<ListEventSinksResponse> answer) {
        answer.onNext(ListEventSinksResponse.newBuilder().addAllSinks(sinks).build());
        answer.onCompleted();
    }

    @Override
    public void listDeadLetters(
            ListDeadLettersRequest request, StreamObserver<ListDeadLettersResponse> answer) {
        int from = request.getPageToken().isEmpty() ? 0 : Integer.parseInt(request.getPageToken());
        ListDeadLettersResponse.Builder page = ListDeadLettersResponse.newBuilder();
        if (from < deadLetters.size()) {
            page.addDeadLetters(deadLetters.get(from));
        }
        if (from + 1 < deadLetters.size()) {
            page.setNextPageToken(Integer.toString(from + 1));
        }
        answer.onNext(page.build());
        answer.onCompleted();
    }

    @Override
    public void retryDeadLetters(
            RetryDeadLettersRequest request, StreamObserver<RetryDeadLettersResponse> answer) {
        retried.add(request);
        answer.onNext(RetryDeadLettersResponse.newBuilder().setRequested(2).build());
        answer.onCompleted();
    }
}
