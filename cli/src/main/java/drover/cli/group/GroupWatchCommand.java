package drover.cli.group;

import drover.cli.command.DroverRootCommand;
import drover.cli.command.FailureReporter;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.MessageJson;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.ComponentProgress;
import drover.rollout.v1.GetRolloutGroupStatusResponse;
import drover.rollout.v1.RolloutGroup;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code drover group watch}: looks every half second until the group ends or waits for a person,
 * and prints a line for each change.
 */
@Command(name = "watch", description = "Shows progress until a group ends or waits for a person.")
public final class GroupWatchCommand implements Callable<Integer> {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
    private static final int MAX_FAILED_POLLS =
            60; // 30 s: another coordinator takes over well within

    private final DroverRootCommand drover;

    @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
    private String id = "";

    @Option(names = "--follow", description = "Stay through pauses.")
    private boolean follow;

    public GroupWatchCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server -> {
                    GroupQueryClient reader = new GroupQueryClient(server);
                    String whole = reader.resolveId(id);
                    try (var _ = drover.announceOnStop("group", whole)) {
                        return watch(reader, whole);
                    }
                });
    }

    private int watch(GroupQueryClient reader, String whole) {
        RolloutGroup before = RolloutGroup.getDefaultInstance();
        int misses = 0;
        do { // ends with the group, with the person's patience (Ctrl-C), or after MAX_FAILED_POLLS
            try {
                RolloutGroup now = reader.fetchGroup(whole);
                misses = 0;
                printChanges(before, now);
                before = now;
            } catch (StatusRuntimeException e) {
                boolean reconnecting =
                        !before.getId().isEmpty() && FailureReporter.isUnreachable(e);
                if (!reconnecting || ++misses > MAX_FAILED_POLLS) {
                    throw e;
                }
            }
            if (misses == 0 && shouldStopWatching(before)) {
                break;
            }
        } while (drover.console().ticker().await(POLL_INTERVAL));
        boolean healthy = EnumNames.of(before.getStatus()).matches("completed|rolled_back");
        return healthy ? CommandFailed.OK : CommandFailed.FAILED;
    }

    private boolean shouldStopWatching(RolloutGroup group) {
        String status = EnumNames.requireKnown(group.getStatus());
        return status.matches("completed|partial|failed|cancelled|rolled_back")
                || (!follow && status.matches("pending|paused"));
    }

    private void printChanges(RolloutGroup before, RolloutGroup now) {
        if (drover.wantsJson()) {
            if (!before.equals(now)) {
                drover.console()
                        .printLine(
                                MessageJson.write(
                                        GetRolloutGroupStatusResponse.newBuilder()
                                                .setGroup(now)
                                                .build(),
                                        false));
            }
            return;
        }
        for (int i = 0; i < now.getComponentsCount(); i++) {
            ComponentProgress component = now.getComponents(i);
            boolean changed =
                    i >= before.getComponentsCount() || !before.getComponents(i).equals(component);
            if (changed) {
                printChange(componentLine(component));
            }
        }
        if (!GroupPrinter.statusSentence(before).equals(GroupPrinter.statusSentence(now))) {
            printChange(GroupPrinter.statusSentence(now));
        }
    }

    private static String componentLine(ComponentProgress component) {
        return "component %d, %s %s → %s: %s, %d of %d nodes"
                .formatted(
                        component.getComponentIndex() + 1,
                        component.getBinaryName(),
                        component.getSourceVersion(),
                        component.getTargetVersion(),
                        GroupPrinter.status(component),
                        component.getSucceededNodes(),
                        component.getTotalNodes());
    }

    private void printChange(String line) {
        Console console = drover.console();
        console.printLine(
                TimeTextConverter.formatTimeOfDay(
                                console.clock().instant(), console.clock().getZone())
                        + " "
                        + line);
    }
}
