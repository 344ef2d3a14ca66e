package drover.standalone.doctor;

import drover.event.v1.EventServiceGrpc;
import drover.event.v1.EventSink;
import drover.event.v1.ListEventSinksRequest;
import drover.localenv.DataDirectory;
import drover.localenv.LocalOperatorChannel;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks a running mesh whether those outside who are told of events take them. */
final class EventDeliveryCheck {
    private static final int DEADLINE_SECONDS = 5;

    private EventDeliveryCheck() {}

    static List<DoctorFinding> run(RunningDeployment deployment, DataDirectory data) {
        return check(listSinks(deployment, data));
    }

    /** What is to be said of these receivers; nothing when there are none. */
    static List<DoctorFinding> check(List<EventSink> sinks) {
        return sinks.stream().map(EventDeliveryCheck::check).toList();
    }

    private static DoctorFinding check(EventSink sink) {
        if (sink.hasFailingSince()) {
            return DoctorFinding.warn(
                    "events",
                    "Events are kept for %s, which takes none; it is %d behind. %s"
                            .formatted(sink.getName(), sink.getLag(), sink.getProblem()));
        }
        return sink.getDeadLetters() > 0
                ? DoctorFinding.warn(
                        "events",
                        "%s has dead letters: %d. See 'drover events dead-letters'."
                                .formatted(sink.getName(), sink.getDeadLetters()))
                : DoctorFinding.ok("events", "Events are taken by " + sink.getName() + ".");
    }

    private static List<EventSink> listSinks(RunningDeployment deployment, DataDirectory data) {
        ManagedChannel channel = LocalOperatorChannel.connect(deployment, data);
        try {
            return EventServiceGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                    .listEventSinks(ListEventSinksRequest.getDefaultInstance())
                    .getSinksList();
        } catch (StatusRuntimeException e) {
            throw new UserFacingError(
                    "The mesh's operators' door does not tell of events: look at drover.log in its"
                            + " data directory.",
                    e);
        } finally {
            channel.shutdownNow();
        }
    }
}
