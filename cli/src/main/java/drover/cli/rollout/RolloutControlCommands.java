package drover.cli.rollout;

import com.google.protobuf.util.Timestamps;
import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.ReasonOption;
import drover.cli.rollout.RolloutRequestSender.Response;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.GetRolloutPlanResponse;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.StartRolloutResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that ask a rollout to change: start, pause, resume and their kin. */
public final class RolloutControlCommands {
    private RolloutControlCommands() {}

    public static void addSubcommands(CommandLine rollout, DroverRootCommand drover) {
        add(rollout, "start", "Starts a pending rollout.", new StartCommand(drover));
        add(
                rollout,
                "pause",
                "Gives out no more work; nodes that began finish.",
                new ControlCommand(drover, RolloutRequestSender::pause));
        rollout.addSubcommand("resume", new ResumeCommand(drover));
        add(
                rollout,
                "cancel",
                "Ends a rollout early; nodes that began finish.",
                new ControlCommand(drover, RolloutRequestSender::cancel));
        rollout.addSubcommand("rollback", new RollbackCommand(drover));
        rollout.addSubcommand("approve", new RolloutApproveCommand(drover));
        add(
                rollout,
                "force",
                "Goes on whatever fails; --reason is required.",
                new ApproverKeyCommand(drover, RolloutRequestSender::force));
        add(
                rollout,
                "retry",
                "Tries a failed, unreachable or skipped node again.",
                new NodeRequestCommand(drover, RolloutRequestSender::retry));
        rollout.addSubcommand("skip", new RolloutSkipCommand(drover));
    }

    public static void addHoldSubcommands(CommandLine rollout, DroverRootCommand drover) {
        rollout.addSubcommand("hold", new HoldCommand(drover));
        add(
                rollout,
                "release",
                "Lets a held node have its turn.",
                new NodeRequestCommand(drover, RolloutRequestSender::releaseHold));
    }

    private static void add(CommandLine rollout, String name, String description, Object command) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        rollout.addSubcommand(name, line);
    }

    private interface RequestSender {
        Response send(RolloutServiceBlockingStub rollouts, String id, String reason);
    }

    private interface NodeRequestSender {
        Response send(RolloutServiceBlockingStub rollouts, String id, String node, String reason);
    }

    /** One request about a whole rollout. */
    @Command
    private static class ControlCommand implements Callable<Integer> {
        private final DroverRootCommand drover;
        private final RequestSender request;

        @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
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
                    server -> perform(server, new RolloutQueryClient(server).resolveId(id)));
        }

        int perform(DroverClient server, String whole) {
            return report(send(stub(server), whole, reason), whole, drover);
        }

        RolloutServiceBlockingStub stub(DroverClient server) {
            return server.idempotentRollouts();
        }

        Response send(RolloutServiceBlockingStub rollouts, String whole, String why) {
            return request.send(rollouts, whole, why);
        }
    }

    /** One request about a whole rollout that a second person makes, with a key of its own. */
    @Command
    private static final class ApproverKeyCommand extends ControlCommand {
        ApproverKeyCommand(DroverRootCommand drover, RequestSender request) {
            super(drover, request);
        }

        @Override
        RolloutServiceBlockingStub stub(DroverClient server) {
            return server.approverRollouts();
        }
    }

    /** Starting, which may demand a plan. */
    @Command
    private static final class StartCommand extends ControlCommand {
        @Option(
                names = "--plan",
                paramLabel = "HASH",
                description = "Start only if it would do what the plan with this hash says.")
        private String plan = "";

        StartCommand(DroverRootCommand drover) {
            super(
                    drover,
                    (rollouts, id, reason) -> RolloutRequestSender.start(rollouts, id, reason, ""));
        }

        @Override
        Response send(RolloutServiceBlockingStub rollouts, String whole, String why) {
            return RolloutRequestSender.start(rollouts, whole, why, plan);
        }
    }

    /** Resuming, which may have to acknowledge failures. */
    @Command(description = "Goes on after a pause.")
    private static final class ResumeCommand extends ControlCommand {
        @Option(
                names = "--acknowledge-failures",
                paramLabel = "N",
                description =
                        "Failed or unhealthy nodes you have looked at; needed when they paused it.")
        private int acknowledged;

        ResumeCommand(DroverRootCommand drover) {
            super(
                    drover,
                    (rollouts, id, reason) -> RolloutRequestSender.resume(rollouts, id, reason, 0));
        }

        @Override
        Response send(RolloutServiceBlockingStub rollouts, String whole, String why) {
            return RolloutRequestSender.resume(rollouts, whole, why, acknowledged);
        }
    }

    /** Rolling back, with a health gate. */
    @Command(description = "Restores every modified node to what it ran before.")
    private static final class RollbackCommand extends ControlCommand {
        @Option(
                names = "--health",
                paramLabel = "wait|ask|ignore",
                description = "Health gate (default: as created); also changes a running rollback.")
        private String health = "";

        @Option(
                names = "--dry-run",
                description = "Show the nodes, the order and the health gate; change nothing.")
        private boolean dryRun;

        private final DroverRootCommand drover;

        RollbackCommand(DroverRootCommand drover) {
            super(
                    drover,
                    (rollouts, id, reason) ->
                            RolloutRequestSender.rollback(rollouts, id, reason, ""));
            this.drover = drover;
        }

        @Override
        int perform(DroverClient server, String whole) {
            if (!dryRun) {
                return super.perform(server, whole);
            }
            GetRolloutPlanResponse answer =
                    RolloutRequestSender.fetchRollbackPlan(server.rollouts(), whole, health);
            if (!drover.printIfJson(answer)) {
                PlanPrinter.printPlan(answer.getPlan(), drover.console());
            }
            return CommandFailed.OK;
        }

        @Override
        Response send(RolloutServiceBlockingStub rollouts, String whole, String why) {
            return RolloutRequestSender.rollback(rollouts, whole, why, health);
        }
    }

    /** One request about a node of a rollout. */
    @Command
    private static final class NodeRequestCommand implements Callable<Integer> {
        private final DroverRootCommand drover;
        private final NodeRequestSender request;

        @Parameters(index = "0", paramLabel = "ID", description = "Rollout, or its start.")
        private String id = "";

        @Parameters(index = "1", paramLabel = "NODE", description = "Node.")
        private String node = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the history.")
        private String reason = "";

        NodeRequestCommand(DroverRootCommand drover, NodeRequestSender request) {
            this.drover = drover;
            this.request = request;
        }

        @Override
        public Integer call() {
            return drover.withServer(
                    server -> {
                        String whole = new RolloutQueryClient(server).resolveId(id);
                        return report(
                                request.send(server.idempotentRollouts(), whole, node, reason),
                                whole,
                                drover);
                    });
        }
    }

    /** Holding a node for a while. */
    @Command(description = "Keeps a node from its turn for a while; --reason is required.")
    private static final class HoldCommand implements Callable<Integer> {
        private final DroverRootCommand drover;

        @Parameters(index = "0", paramLabel = "ID", description = "Rollout, or its start.")
        private String id = "";

        @Parameters(index = "1", paramLabel = "NODE", description = "Node.")
        private String node = "";

        @Mixin private ReasonOption reason = new ReasonOption();

        @Option(
                names = "--for",
                paramLabel = "DURATION",
                defaultValue = "24h",
                description = "How long, such as 90m (default: 24h).")
        private String length = "";

        HoldCommand(DroverRootCommand drover) {
            this.drover = drover;
        }

        @Override
        public Integer call() {
            var until =
                    Timestamps.add(
                            Timestamps.fromMillis(drover.console().clock().millis()),
                            TimeTextConverter.parseDuration("--for", length));
            return drover.withServer(
                    server -> {
                        String whole = new RolloutQueryClient(server).resolveId(id);
                        return report(
                                RolloutRequestSender.hold(
                                        server.idempotentRollouts(),
                                        whole,
                                        node,
                                        reason.text(),
                                        until),
                                whole,
                                drover);
                    });
        }
    }

    static int report(Response answer, String id, DroverRootCommand drover) {
        if (drover.printIfJson(answer.whole())) {
            return CommandFailed.OK;
        }
        if (answer.request().getState() == RequestState.REQUEST_STATE_PENDING) {
            drover.console()
                    .printLine(
                            "The request is not decided yet. Next: "
                                    + drover.withConnectionOptions("drover rollout why " + id));
        } else {
            drover.console().printLine(RolloutStatusRules.statusSentence(answer.rollout()));
        }
        if (answer.whole() instanceof StartRolloutResponse started) {
            PlanPrinter.printUnhealthyNodes(started.getUnhealthyNodesList(), drover.console());
            PlanPrinter.printWarnings(started.getWarningsList(), drover.console());
        }
        return CommandFailed.OK;
    }
}
