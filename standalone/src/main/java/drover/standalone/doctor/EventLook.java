package drover.standalone.doctor;

import drover.event.v1.EventServiceGrpc;
import drover.event.v1.EventSink;
import drover.event.v1.ListEventSinksRequest;
import drover.machine.home.DataDirectory;
import drover.machine.home.OperatorsDoor;
import drover.machine.home.RunningMesh;
import drover.machine.home.Unusable;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks a running mesh whether those outside who are told of events take them. */
final class EventLook {
    private static final int DEADLINE_SECONDS = 5;

    private EventLook() {}

    static List<Finding> at(RunningMesh mesh, DataDirectory data) {
        return judge(sinks(mesh, data));
    }

    /** What is to be said of these receivers; nothing when there are none. */
    static List<Finding> judge(List<EventSink> sinks) {
        return sinks.stream().map(EventLook::judge).toList();
    }

    private static Finding judge(EventSink sink) {
        if (sink.hasFailingSince()) {
            return Finding.warn(
                    "events",
                    "Events are kept for %s, which takes none; it is %d behind. %s"
                            .formatted(sink.getName(), sink.getBehind(), sink.getProblem()));
        }
        return sink.getDeadLetters() > 0
                ? Finding.warn(
                        "events",
                        "%s has dead letters: %d. See 'drover events dead-letters'."
                                .formatted(sink.getName(), sink.getDeadLetters()))
                : Finding.ok("events", "Events are taken by " + sink.getName() + ".");
    }

    private static List<EventSink> sinks(RunningMesh mesh, DataDirectory data) {
        ManagedChannel channel = OperatorsDoor.dial(mesh, data);
        try {
            return EventServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .listEventSinks(ListEventSinksRequest.getDefaultInstance())
                    .getSinksList();
        } catch (StatusRuntimeException e) {
            throw new Unusable(
                    "The mesh's operators' door does not tell of events: look at drover.log in its"
                            + " data directory.",
                    e);
        } finally {
            channel.shutdownNow();
        }
    }
}
