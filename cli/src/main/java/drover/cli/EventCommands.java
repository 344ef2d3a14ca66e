package drover.cli;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.FailureReporter;
import drover.cli.command.SubcommandGroup;
import drover.cli.rollout.RolloutQueryClient;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.MessageJson;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.event.v1.DeadLetter;
import drover.event.v1.Event;
import drover.event.v1.EventSink;
import drover.event.v1.ListDeadLettersRequest;
import drover.event.v1.ListDeadLettersResponse;
import drover.event.v1.ListEventSinksRequest;
import drover.event.v1.ListEventSinksResponse;
import drover.event.v1.RetryDeadLettersRequest;
import drover.event.v1.RetryDeadLettersResponse;
import drover.event.v1.WatchEventsRequest;
import drover.event.v1.WatchEventsResponse;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover events …}. */
@Command(name = "events", description = "What happens, as it happens.")
final class EventCommands extends SubcommandGroup {
    private static final Duration BEFORE_RECONNECTING = Duration.ofSeconds(1);

    // 60 s: a coordinator restarts or another takes over well within.
    private static final int MOST_MISSES = 60;

    private final DroverRootCommand drover;

    EventCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Prints every event until Ctrl-C.")
    int watch(
            @Option(
                            names = "--rollout",
                            paramLabel = "ID",
                            defaultValue = "",
                            description = "Only of this rollout, or the start of its id.")
                    String rollout,
            @Option(
                            names = "--node",
                            paramLabel = "NODE",
                            defaultValue = "",
                            description = "Only of this node.")
                    String node,
            @Option(
                            names = "--after",
                            paramLabel = "EVENT",
                            defaultValue = "",
                            description = "Go on after the event with this id.")
                    String after,
            @Option(
                            names = "--from-start",
                            description = "Begin with the oldest event (default: with the next).")
                    boolean fromStart,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "0",
                            description = "End after N events (default: never).")
                    int count) {
        return drover.withServer(
                server -> {
                    String whole =
                            rollout.isEmpty()
                                    ? ""
                                    : new RolloutQueryClient(server).resolveId(rollout);
                    WatchEventsRequest request =
                            WatchEventsRequest.newBuilder()
                                    .setRolloutId(whole)
                                    .setNodeId(node)
                                    .setLastEventId(after)
                                    .setFromStart(fromStart)
                                    .build();
                    new EventWatcher(server, request, count).run();
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows the receivers of events, and how far each one is.")
    int sinks() {
        return drover.withServer(
                server -> {
                    ListEventSinksResponse answer =
                            server.events()
                                    .listEventSinks(ListEventSinksRequest.getDefaultInstance());
                    if (!drover.printIfJson(answer)) {
                        print(answer);
                    }
                    return CommandFailed.OK;
                });
    }

    private void print(ListEventSinksResponse sinks) {
        Instant now = drover.console().clock().instant();
        ConsoleTable table =
                new ConsoleTable("NAME", "KIND", "BEHIND", "DEAD LETTERS", "FAILING", "PROBLEM");
        for (EventSink sink : sinks.getSinksList()) {
            table.addRow(
                    sink.getName(),
                    sink.getKind(),
                    Long.toString(sink.getLag()),
                    Long.toString(sink.getDeadLetters()),
                    sink.hasFailingSince()
                            ? TimeTextConverter.relative(sink.getFailingSince(), now)
                            : "-",
                    sink.getProblem());
        }
        if (table.isEmpty()) {
            drover.console().printLine("Nobody outside is told of events.");
        } else {
            drover.console().print(table);
        }
    }

    @Command(name = "dead-letters", description = "Lists events that a receiver rejected.")
    int listDeadLetters(
            @Option(
                            names = "--sink",
                            paramLabel = "NAME",
                            defaultValue = "",
                            description = "Only of this receiver.")
                    String sink) {
        return drover.withServer(
                server -> {
                    ListDeadLettersResponse letters = listDeadLetters(server, sink);
                    if (!drover.printIfJson(letters)) {
                        print(letters);
                    }
                    return CommandFailed.OK;
                });
    }

    /** All pages: ends, because each page continues after the one before. */
    private static ListDeadLettersResponse listDeadLetters(DroverClient server, String sink) {
        ListDeadLettersResponse.Builder all = ListDeadLettersResponse.newBuilder();
        String next = "";
        do {
            ListDeadLettersResponse page =
                    server.events()
                            .listDeadLetters(
                                    ListDeadLettersRequest.newBuilder()
                                            .setSink(sink)
                                            .setPageToken(next)
                                            .build());
            all.addAllDeadLetters(page.getDeadLettersList());
            next = page.getNextPageToken();
        } while (!next.isEmpty());
        return all.build();
    }

    private void print(ListDeadLettersResponse letters) {
        Instant now = drover.console().clock().instant();
        ConsoleTable table =
                new ConsoleTable("EVENT", "SINK", "TYPE", "REJECTED", "TIMES", "RETRY", "PROBLEM");
        for (DeadLetter letter : letters.getDeadLettersList()) {
            table.addRow(
                    letter.getEventId(),
                    letter.getSink(),
                    letter.getType(),
                    TimeTextConverter.relative(letter.getRejectedAt(), now),
                    Integer.toString(letter.getAttempts()),
                    letter.getRetrying() ? "requested" : "-",
                    letter.getProblem());
        }
        if (table.isEmpty()) {
            drover.console().printLine("No dead letters.");
        } else {
            drover.console().print(table);
        }
    }

    @Command(description = "Sends dead letters of a receiver again.")
    int retry(
            @Parameters(paramLabel = "SINK", description = "The receiver.") String sink,
            @Parameters(
                            paramLabel = "EVENT",
                            arity = "0..*",
                            description = "Ids of events (default: all dead letters).")
                    List<String> events) {
        return drover.withServer(
                server -> {
                    RetryDeadLettersResponse answer =
                            server.events()
                                    .retryDeadLetters(
                                            RetryDeadLettersRequest.newBuilder()
                                                    .setSink(sink)
                                                    .addAllEventIds(
                                                            events == null ? List.of() : events)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        drover.console()
                                .printLine(
                                        "Dead letters to send again: "
                                                + answer.getRequested()
                                                + ".");
                    }
                    return CommandFailed.OK;
                });
    }

    /** One watch; comes back where it was when the stream ends or breaks. */
    private final class EventWatcher {
        private final DroverClient server;
        private final int count;
        private WatchEventsRequest request;
        private int shown;
        private int misses;

        EventWatcher(DroverClient server, WatchEventsRequest request, int count) {
            this.server = server;
            this.request = request;
            this.count = count;
        }

        void run() {
            do { // ends with the person's patience (Ctrl-C), after --count, or after MOST_MISSES
                try {
                    Iterator<WatchEventsResponse> answers = server.openEventStream(request);
                    while (!isDone() && answers.hasNext()) {
                        misses = 0;
                        handle(answers.next());
                    }
                } catch (StatusRuntimeException e) {
                    boolean reconnecting = !request.getLastEventId().isEmpty();
                    if (!reconnecting
                            || !FailureReporter.isUnreachable(e)
                            || ++misses > MOST_MISSES) {
                        throw e;
                    }
                }
            } while (!isDone() && drover.console().ticker().await(BEFORE_RECONNECTING));
        }

        private boolean isDone() {
            return count > 0 && shown >= count;
        }

        private void handle(WatchEventsResponse answer) {
            if (answer.hasEvent()) {
                Event event = answer.getEvent();
                drover.console()
                        .printLine(
                                drover.wantsJson()
                                        ? MessageJson.write(event, false)
                                        : formatEvent(event));
                request = request.toBuilder().setLastEventId(event.getId()).build();
                shown++;
            }
        }

        private String formatEvent(Event event) {
            Instant at =
                    Instant.ofEpochSecond(event.getTime().getSeconds(), event.getTime().getNanos());
            return TimeTextConverter.formatTimeOfDay(at, drover.console().clock().getZone())
                    + " "
                    + Style.sanitize(event.getSubject() + " " + event.getData().getMessage());
        }
    }
}
