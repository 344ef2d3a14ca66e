package drover.cli.rollout;

import drover.cli.command.DroverRootCommand;
import drover.cli.command.FailureReporter;
import drover.cli.rollout.RolloutChangeLines.Snapshot;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.MessageJson;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.GetRolloutResponse;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code drover rollout watch}: looks every half second until the rollout ends or waits for a
 * person. On a terminal it redraws in place; elsewhere it prints a line for each change.
 */
@Command(name = "watch", description = "Shows progress until a rollout ends or waits for a person.")
public final class RolloutWatchCommand implements Callable<Integer> {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    // 30 s at two looks a second: a coordinator restarts or another takes over well within.
    private static final int MAX_FAILED_POLLS = 60;

    private final DroverRootCommand drover;

    @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
    private String id = "";

    @Option(names = "--follow", description = "Stay through pauses and approvals.")
    private boolean follow;

    public RolloutWatchCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server -> {
                    RolloutQueryClient reader = new RolloutQueryClient(server);
                    String whole = reader.resolveId(id);
                    try (var _ = drover.announceOnStop("rollout", whole)) {
                        return watch(reader, whole);
                    }
                });
    }

    private int watch(RolloutQueryClient reader, String whole) {
        WatchOutput screen = createWatchOutput();
        Snapshot before = Snapshot.NONE;
        int misses = 0;
        do { // ends with the rollout, with the person's patience (Ctrl-C), or after
            // MAX_FAILED_POLLS
            try {
                Snapshot now = new Snapshot(reader.fetchRollout(whole), reader.listNodes(whole));
                misses = 0;
                screen.show(before, now);
                before = now;
            } catch (StatusRuntimeException e) {
                boolean reconnecting =
                        !before.equals(Snapshot.NONE) && FailureReporter.isUnreachable(e);
                if (!reconnecting || ++misses > MAX_FAILED_POLLS) {
                    throw e;
                }
            }
            if (misses == 0 && shouldStopWatching(before)) {
                return exitCode(before);
            }
        } while (drover.console().ticker().await(POLL_INTERVAL));
        return exitCode(before);
    }

    private boolean shouldStopWatching(Snapshot snapshot) {
        var _ = EnumNames.requireKnown(snapshot.rollout().getStatus());
        return RolloutStatusRules.isFinal(snapshot.rollout())
                || (!follow && RolloutStatusRules.needsOperator(snapshot.rollout()));
    }

    private static int exitCode(Snapshot snapshot) {
        return RolloutStatusRules.isCompletedOrRolledBack(snapshot.rollout())
                ? CommandFailed.OK
                : CommandFailed.FAILED;
    }

    /** How looks are shown. */
    private interface WatchOutput {
        void show(Snapshot before, Snapshot now);
    }

    private WatchOutput createWatchOutput() {
        Console console = drover.console();
        if (drover.wantsJson()) {
            return (before, now) -> showJson(before, now, console);
        }
        if (console.terminal().interactive()) {
            return new RedrawnScreen(console);
        }
        return (before, now) ->
                RolloutChangeLines.between(before, now)
                        .forEach(line -> console.printLine(formatNow(console) + " " + line));
    }

    private static String formatNow(Console console) {
        return TimeTextConverter.formatTimeOfDay(
                console.clock().instant(), console.clock().getZone());
    }

    /** One document a line, whenever the rollout changed. */
    private static void showJson(Snapshot before, Snapshot now, Console console) {
        if (!before.rollout().equals(now.rollout())) {
            console.printLine(
                    MessageJson.write(
                            GetRolloutResponse.newBuilder().setRollout(now.rollout()).build(),
                            false));
        }
    }

    /** Draws over what it drew before. */
    private static final class RedrawnScreen implements WatchOutput {
        private final Console console;
        private int drawn;

        RedrawnScreen(Console console) {
            this.console = console;
        }

        @Override
        public void show(Snapshot before, Snapshot now) {
            List<String> lines =
                    RolloutProgressRenderer.forTerminal(console.terminal())
                            .lines(now.rollout(), now.nodes());
            StringBuilder frame = new StringBuilder();
            if (drawn > 0) {
                frame.append("\u001b[").append(drawn).append('A'); // up to the first line
            }
            lines.forEach(line -> frame.append("\u001b[2K").append(line).append('\n'));
            frame.append("\u001b[J"); // clears what a longer frame left below
            console.out().print(frame);
            console.out().flush();
            drawn = lines.size();
        }
    }
}
