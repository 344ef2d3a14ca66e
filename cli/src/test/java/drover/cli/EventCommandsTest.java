package drover.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import drover.event.v1.DeadLetter;
import drover.event.v1.Event;
import drover.event.v1.EventData;
import drover.event.v1.EventSink;
import drover.event.v1.WatchEventsRequest;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class EventCommandsTest {
    private static final String ID = "4f3c2a10-0000-4000-8000-000000000001";

    @AutoClose private final FakeDrover drover = new FakeDrover();

    private static Event event(int seq, String word) {
        return Event.newBuilder()
                .setId(seq + "-0123456789ab")
                .setSubject("events.rollout." + ID + "." + word)
                .setTime(
                        Timestamp.newBuilder().setSeconds(CommandResult.NOW.getEpochSecond() + seq))
                .setData(EventData.newBuilder().setMessage("It is " + word + "."))
                .build();
    }

    @Test
    void printsALineForEachEventAndComesBackWhereItWas() {
        drover.events.streams.addAll(
                List.of(List.of(event(1, "started")), List.of(event(2, "completed"))));
        CommandResult typed =
                CommandResult.on(drover, "events", "watch", "--rollout", ID, "--count", "2");
        assertThat(typed.err()).isEmpty();
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out())
                .isEqualTo(
                        """
                        12:00:01 events.rollout.4f3c2a10-0000-4000-8000-000000000001.started It is started.
                        12:00:02 events.rollout.4f3c2a10-0000-4000-8000-000000000001.completed It is completed.
                        """);
        assertThat(drover.events.requested)
                .extracting(WatchEventsRequest::getRolloutId, WatchEventsRequest::getLastEventId)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(ID, ""),
                        org.assertj.core.groups.Tuple.tuple(ID, "1-0123456789ab"));
    }

    @Test
    void livesThroughARestartOfTheServer() {
        drover.events.streams.add(List.of(event(1, "started")));
        CommandResult typed = CommandResult.on(drover, "events", "watch", "--from-start");
        assertThat(typed.exitCode()).as("it gives up in the end").isEqualTo(3);
        assertThat(drover.events.requested).hasSizeGreaterThan(10);
        assertThat(drover.events.requested.getLast().getLastEventId()).isEqualTo("1-0123456789ab");
    }

    @Test
    void reportsAServerThatNeverResponded() {
        CommandResult typed = CommandResult.on(drover, "events", "watch");
        assertThat(typed.exitCode()).isEqualTo(3);
        assertThat(drover.events.requested).hasSize(1);
    }

    @Test
    void printsOneCloudEventALineAsJson() {
        drover.events.streams.add(List.of(event(1, "started")));
        CommandResult typed =
                CommandResult.on(drover, "events", "watch", "--count", "1", "--output", "json");
        assertThat(typed.out()).startsWith("{\"id\":\"1-0123456789ab\",").endsWith("}\n");
    }

    @Test
    void showsWhichReceiverTakesNothing() {
        assertThat(CommandResult.on(drover, "events", "sinks").out())
                .isEqualTo("Nobody outside is told of events.\n");
        drover.events.sinks.add(
                EventSink.newBuilder()
                        .setName("pager")
                        .setKind("webhook")
                        .setLag(7)
                        .setDeadLetters(2)
                        .setFailingSince(
                                Timestamp.newBuilder()
                                        .setSeconds(CommandResult.NOW.getEpochSecond() - 120))
                        .setProblem("It answers 500.")
                        .build());
        assertThat(CommandResult.on(drover, "events", "sinks").out())
                .isEqualTo(
                        """
                        NAME   KIND     BEHIND  DEAD LETTERS  FAILING  PROBLEM
                        pager  webhook  7       2             2m ago   It answers 500.
                        """);
    }

    @Test
    void listsDeadLettersOfAllPagesAndSendsThemAgain() {
        assertThat(CommandResult.on(drover, "events", "dead-letters").out())
                .isEqualTo("No dead letters.\n");
        for (int seq = 1; seq <= 2; seq++) {
            drover.events.deadLetters.add(
                    DeadLetter.newBuilder()
                            .setEventId(seq + "-0123456789ab")
                            .setSink("pager")
                            .setType("drover.rollout.started")
                            .setAttempts(seq)
                            .setRetrying(seq == 2)
                            .setProblem("It answers 400.")
                            .setRejectedAt(
                                    Timestamp.newBuilder()
                                            .setSeconds(CommandResult.NOW.getEpochSecond() - 60))
                            .build());
        }
        assertThat(CommandResult.on(drover, "events", "dead-letters").out())
                .isEqualTo(
                        """
                        EVENT           SINK   TYPE                    REJECTED  TIMES  RETRY      PROBLEM
                        1-0123456789ab  pager  drover.rollout.started  1m ago    1      -          It answers 400.
                        2-0123456789ab  pager  drover.rollout.started  1m ago    2      requested  It answers 400.
                        """);
        assertThat(CommandResult.on(drover, "events", "retry", "pager", "1-0123456789ab").out())
                .isEqualTo("Dead letters to send again: 2.\n");
        assertThat(CommandResult.on(drover, "events", "retry", "pager").exitCode()).isZero();
        assertThat(drover.events.retried)
                .extracting(request -> List.<String>copyOf(request.getEventIdsList()))
                .containsExactly(List.of("1-0123456789ab"), List.of());
    }
}
