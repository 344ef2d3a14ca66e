package drover.cli;

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
final class GroupWatch implements Callable<Integer> {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final int MOST_MISSES = 60; // 30 s: another coordinator takes over well within

    private final DroverCommand drover;

    @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
    private String id = "";

    @Option(names = "--follow", description = "Stay through pauses.")
    private boolean follow;

    GroupWatch(DroverCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server -> {
                    GroupReader reader = new GroupReader(server);
                    return watch(reader, reader.resolve(id));
                });
    }

    private int watch(GroupReader reader, String whole) {
        RolloutGroup before = RolloutGroup.getDefaultInstance();
        int misses = 0;
        do { // ends with the group, with the person's patience (Ctrl-C), or after MOST_MISSES
            try {
                RolloutGroup now = reader.group(whole);
                misses = 0;
                show(before, now);
                before = now;
            } catch (StatusRuntimeException e) {
                boolean patient = !before.getId().isEmpty() && Failures.isUnreachable(e);
                if (!patient || ++misses > MOST_MISSES) {
                    throw e;
                }
            }
            if (misses == 0 && isOver(before)) {
                break;
            }
        } while (drover.console().ticker().await(BETWEEN_LOOKS));
        boolean well = Words.of(before.getStatus()).matches("completed|rolled_back");
        return well ? CommandFailed.OK : CommandFailed.FAILED;
    }

    private boolean isOver(RolloutGroup group) {
        String status = Words.known(group.getStatus());
        return status.matches("completed|partial|failed|cancelled|rolled_back")
                || (!follow && status.matches("pending|paused"));
    }

    private void show(RolloutGroup before, RolloutGroup now) {
        if (drover.wantsJson()) {
            if (!before.equals(now)) {
                drover.console()
                        .say(
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
                say(line(component));
            }
        }
        if (!GroupTables.sentence(before).equals(GroupTables.sentence(now))) {
            say(GroupTables.sentence(now));
        }
    }

    private static String line(ComponentProgress component) {
        return "component %d, %s %s → %s: %s, %d of %d nodes"
                .formatted(
                        component.getComponentIndex() + 1,
                        component.getBinaryName(),
                        component.getSourceVersion(),
                        component.getTargetVersion(),
                        GroupTables.status(component),
                        component.getSucceededNodes(),
                        component.getTotalNodes());
    }

    private void say(String line) {
        Console console = drover.console();
        console.say(Times.clock(console.clock().instant(), console.clock().getZone()) + " " + line);
    }
}
