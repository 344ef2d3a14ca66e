package drover.cli.rollout;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.FailureReporter;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.CreateRolloutResponse;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.StartRolloutResponse;
import drover.rollout.v1.UnhealthyNode;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code drover rollout create}: by a manifest ({@code --upgrade}) or with every field given. */
@Command(
        name = "create",
        abbreviateSynopsis = true,
        description = "Creates a rollout, from a manifest (--upgrade) or by hand.")
public final class RolloutCreateCommand implements Callable<Integer> {
    private final DroverRootCommand drover;

    @Mixin private RolloutCreationOptions fields = new RolloutCreationOptions();

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--start", description = "Start it at once.")
    private boolean start;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, if it is started at once.")
    private String reason = "";

    public RolloutCreateCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        CreateRolloutRequest request = fields.request();
        return drover.withServer(
                server -> {
                    requireReasonIfRisky(server, request);
                    var answer = server.idempotentRollouts().createRollout(request);
                    return start ? startCreated(server, answer) : report(answer, List.of());
                });
    }

    /** Before anything is created: the start of a rollout without it would be refused. */
    private void requireReasonIfRisky(DroverClient server, CreateRolloutRequest request) {
        if (!start || !reason.isBlank()) {
            return;
        }
        String risk = fetchStartRisk(server, request);
        if (!risk.isEmpty()) {
            throw CommandFailed.refused(
                    "Nothing is created: the start needs a reason, because %s. Repeat the command with --reason TEXT."
                            .formatted(Style.sanitize(risk)));
        }
    }

    /** Empty also for a key that may create and not plan: the start itself is checked again. */
    private static String fetchStartRisk(DroverClient server, CreateRolloutRequest request) {
        try {
            return server.idempotentRollouts()
                    .planRollout(PlanRolloutRequest.newBuilder().setRollout(request).build())
                    .getPlan()
                    .getStartRisk();
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.PERMISSION_DENIED) {
                throw e;
            }
            return "";
        }
    }

    private int startCreated(DroverClient server, CreateRolloutResponse answer) {
        String id = answer.getRollout().getId();
        try {
            StartRolloutResponse started =
                    RolloutRequestSender.startRollout(server.idempotentRollouts(), id, reason, "");
            return report(
                    answer.toBuilder()
                            .setRollout(started.getRollout())
                            .addAllWarnings(started.getWarningsList())
                            .build(),
                    started.getUnhealthyNodesList());
        } catch (RuntimeException e) {
            return reportNotStarted(e, answer);
        }
    }

    /** The rollout exists and has its chain, so its id is the last line of the output. */
    private int reportNotStarted(RuntimeException failure, CreateRolloutResponse answer) {
        Console console = drover.console();
        String id = answer.getRollout().getId();
        int exitCode =
                FailureReporter.report(
                        failure, drover, spec.root().commandLine().getParseResult(), id);
        console.printError(
                "Rollout %s is created, but its start is not confirmed: start it with 'drover rollout start %s', or release its chain with 'drover rollout cancel %s'."
                        .formatted(id, id, id));
        if (!drover.printIfJson(answer)) {
            console.printLine(id);
        }
        return exitCode;
    }

    private int report(CreateRolloutResponse answer, List<UnhealthyNode> unhealthy) {
        if (!drover.printIfJson(answer)) {
            if (!unhealthy.isEmpty()) {
                PlanPrinter.printUnhealthyNodes(unhealthy, drover.console());
                drover.console().printLine("");
            }
            printCreated(answer.getRollout());
            answer.getWarningsList().forEach(this::printWarning);
        }
        return CommandFailed.OK;
    }

    private void printWarning(PlanWarning warning) {
        drover.console().printError("Warning: " + Style.sanitize(warning.getSentence()));
    }

    private void printCreated(Rollout rollout) {
        Console console = drover.console();
        console.printLine(
                "%s %s on %d nodes in %d batches, %s."
                        .formatted(
                                start ? "Started" : "Created",
                                RolloutPrinter.programAndVersions(rollout),
                                rollout.getTotalNodes(),
                                rollout.getBatchesCount(),
                                EnumNames.of(rollout.getStrategy())));
        if (rollout.getNotRollbackableNodes() > 0) {
            console.printLine(
                    "%d of them could not be brought back to what they run now."
                            .formatted(rollout.getNotRollbackableNodes()));
        }
        console.printLine(
                "Next: "
                        + drover.withConnectionOptions(
                                "drover rollout %s %s"
                                        .formatted(start ? "watch" : "start", rollout.getId())));
        console.printLine(rollout.getId());
    }
}
