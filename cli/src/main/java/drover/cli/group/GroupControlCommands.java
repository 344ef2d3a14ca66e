package drover.cli.group;

import com.google.protobuf.Message;
import drover.cli.command.DroverRootCommand;
import drover.cli.terminal.CommandFailed;
import drover.rollout.v1.CancelRolloutGroupRequest;
import drover.rollout.v1.PauseRolloutGroupRequest;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.ResumeRolloutGroupRequest;
import drover.rollout.v1.RollbackRolloutGroupRequest;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.RolloutGroupServiceGrpc.RolloutGroupServiceBlockingStub;
import drover.rollout.v1.SkipComponentRequest;
import drover.rollout.v1.StartRolloutGroupRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that ask a group to change: start, pause, resume and their kin. */
public final class GroupControlCommands {
    private GroupControlCommands() {}

    public static void addSubcommands(CommandLine group, DroverRootCommand drover) {
        add(
                group,
                "start",
                "Starts a pending group.",
                new ControlCommand(drover, GroupControlCommands::start));
        add(
                group,
                "pause",
                "Pauses a group and the component that is under way.",
                new ControlCommand(drover, GroupControlCommands::pause));
        group.addSubcommand("resume", new ResumeCommand(drover));
        add(
                group,
                "cancel",
                "Ends a group early; what is upgraded stays upgraded.",
                new ControlCommand(drover, GroupControlCommands::cancel));
        add(
                group,
                "rollback",
                "Rolls every component back that was begun, the last one first.",
                new ControlCommand(drover, GroupControlCommands::rollback));
        add(
                group,
                "skip",
                "Gives up the component, or passes the gate, at which a group is paused.",
                new ControlCommand(drover, GroupControlCommands::skip));
    }

    private static void add(CommandLine group, String name, String description, Object command) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        group.addSubcommand(name, line);
    }

    /** An answer, with the parts that every such answer has. */
    record Response(Message whole, RolloutGroup group, RequestReceipt request) {}

    private interface RequestSender {
        Response send(RolloutGroupServiceBlockingStub groups, String id, String reason);
    }

    static Response start(RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.startRolloutGroup(
                        StartRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getGroup(), answer.getRequest());
    }

    private static Response pause(
            RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.pauseRolloutGroup(
                        PauseRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getGroup(), answer.getRequest());
    }

    private static Response cancel(
            RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.cancelRolloutGroup(
                        CancelRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getGroup(), answer.getRequest());
    }

    private static Response rollback(
            RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.rollbackRolloutGroup(
                        RollbackRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Response(answer, answer.getGroup(), answer.getRequest());
    }

    private static Response skip(RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.skipComponent(
                        SkipComponentRequest.newBuilder().setGroupId(id).setReason(reason).build());
        return new Response(answer, answer.getGroup(), answer.getRequest());
    }

    /** One request about a group. */
    @Command
    private static class ControlCommand implements Callable<Integer> {
        private final DroverRootCommand drover;
        private final RequestSender request;

        @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the history.")
        private String reason = "";

        ControlCommand(DroverRootCommand drover, RequestSender request) {
            this.drover = drover;
            this.request = request;
        }

        @Override
        public Integer call() {
            return drover.withServer(
                    server -> {
                        String whole = new GroupQueryClient(server).resolveId(id);
                        return report(
                                send(server.idempotentGroups(), whole, reason), whole, drover);
                    });
        }

        Response send(RolloutGroupServiceBlockingStub groups, String whole, String why) {
            return request.send(groups, whole, why);
        }
    }

    /** Resuming, which may have to acknowledge failures of the component. */
    @Command(description = "Goes on after a pause, with its component.")
    private static final class ResumeCommand extends ControlCommand {
        @Option(
                names = "--acknowledge-failures",
                paramLabel = "N",
                description = "Failed nodes of the component that you have looked at.")
        private int acknowledged;

        ResumeCommand(DroverRootCommand drover) {
            super(drover, GroupControlCommands::start); // asks below, with what was acknowledged
        }

        @Override
        Response send(RolloutGroupServiceBlockingStub groups, String whole, String why) {
            var answer =
                    groups.resumeRolloutGroup(
                            ResumeRolloutGroupRequest.newBuilder()
                                    .setGroupId(whole)
                                    .setReason(why)
                                    .setAcknowledgedFailures(acknowledged)
                                    .build());
            return new Response(answer, answer.getGroup(), answer.getRequest());
        }
    }

    private static int report(Response answer, String id, DroverRootCommand drover) {
        if (drover.printIfJson(answer.whole())) {
            return CommandFailed.OK;
        }
        if (answer.request().getState() == RequestState.REQUEST_STATE_PENDING) {
            drover.console()
                    .printLine(
                            "Asked, and not decided yet. Look with 'drover group why " + id + "'.");
        } else {
            drover.console().printLine(GroupPrinter.statusSentence(answer.group()));
        }
        return CommandFailed.OK;
    }
}
