package drover.cli;

import com.google.protobuf.Message;
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
final class GroupSteering {
    private GroupSteering() {}

    static void addTo(CommandLine group, DroverCommand drover) {
        add(group, "start", "Starts a pending group.", new Steer(drover, GroupSteering::start));
        add(
                group,
                "pause",
                "Pauses a group and the component that is under way.",
                new Steer(drover, GroupSteering::pause));
        group.addSubcommand("resume", new Resume(drover));
        add(
                group,
                "cancel",
                "Ends a group early; what is upgraded stays upgraded.",
                new Steer(drover, GroupSteering::cancel));
        add(
                group,
                "rollback",
                "Rolls every component back that was begun, the last one first.",
                new Steer(drover, GroupSteering::rollback));
        add(
                group,
                "skip",
                "Gives up the component, or passes the gate, at which a group is paused.",
                new Steer(drover, GroupSteering::skip));
    }

    private static void add(CommandLine group, String name, String description, Object command) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        group.addSubcommand(name, line);
    }

    /** An answer, with the parts that every such answer has. */
    record Answer(Message whole, RolloutGroup group, RequestReceipt request) {}

    private interface Ask {
        Answer of(RolloutGroupServiceBlockingStub groups, String id, String reason);
    }

    static Answer start(RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.startRolloutGroup(
                        StartRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getGroup(), answer.getRequest());
    }

    private static Answer pause(RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.pauseRolloutGroup(
                        PauseRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getGroup(), answer.getRequest());
    }

    private static Answer cancel(RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.cancelRolloutGroup(
                        CancelRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getGroup(), answer.getRequest());
    }

    private static Answer rollback(
            RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.rollbackRolloutGroup(
                        RollbackRolloutGroupRequest.newBuilder()
                                .setGroupId(id)
                                .setReason(reason)
                                .build());
        return new Answer(answer, answer.getGroup(), answer.getRequest());
    }

    private static Answer skip(RolloutGroupServiceBlockingStub groups, String id, String reason) {
        var answer =
                groups.skipComponent(
                        SkipComponentRequest.newBuilder().setGroupId(id).setReason(reason).build());
        return new Answer(answer, answer.getGroup(), answer.getRequest());
    }

    /** One request about a group. */
    @Command
    private static class Steer implements Callable<Integer> {
        private final DroverCommand drover;
        private final Ask ask;

        @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
        private String id = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the history.")
        private String reason = "";

        Steer(DroverCommand drover, Ask ask) {
            this.drover = drover;
            this.ask = ask;
        }

        @Override
        public Integer call() {
            return drover.withServer(
                    server -> {
                        String whole = new GroupReader(server).resolve(id);
                        return tell(ask(server.groupsToChange(), whole, reason), whole, drover);
                    });
        }

        Answer ask(RolloutGroupServiceBlockingStub groups, String whole, String why) {
            return ask.of(groups, whole, why);
        }
    }

    /** Resuming, which may have to acknowledge failures of the component. */
    @Command(description = "Goes on after a pause, with its component.")
    private static final class Resume extends Steer {
        @Option(
                names = "--acknowledge-failures",
                paramLabel = "N",
                description = "Failed nodes of the component that you have looked at.")
        private int acknowledged;

        Resume(DroverCommand drover) {
            super(drover, GroupSteering::start); // asks below, with what was acknowledged
        }

        @Override
        Answer ask(RolloutGroupServiceBlockingStub groups, String whole, String why) {
            var answer =
                    groups.resumeRolloutGroup(
                            ResumeRolloutGroupRequest.newBuilder()
                                    .setGroupId(whole)
                                    .setReason(why)
                                    .setAcknowledgedFailures(acknowledged)
                                    .build());
            return new Answer(answer, answer.getGroup(), answer.getRequest());
        }
    }

    private static int tell(Answer answer, String id, DroverCommand drover) {
        if (drover.printedAsJson(answer.whole())) {
            return CommandFailed.OK;
        }
        if (answer.request().getState() == RequestState.REQUEST_STATE_PENDING) {
            drover.console()
                    .say("Asked, and not decided yet. Look with 'drover group why " + id + "'.");
        } else {
            drover.console().say(GroupTables.sentence(answer.group()));
        }
        return CommandFailed.OK;
    }
}
