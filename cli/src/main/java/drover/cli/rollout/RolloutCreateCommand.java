package drover.cli.rollout;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverCommand;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.Rollout;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code drover rollout create}: by a manifest ({@code --upgrade}) or with every field given. */
@Command(
        name = "create",
        abbreviateSynopsis = true,
        description = "Creates a rollout, from a manifest (--upgrade) or by hand.")
public final class RolloutCreateCommand implements Callable<Integer> {
    private final DroverCommand drover;

    @Mixin private RolloutOptions fields = new RolloutOptions();

    @Option(names = "--start", description = "Start it at once.")
    private boolean start;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, if it is started at once.")
    private String reason = "";

    public RolloutCreateCommand(DroverCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        CreateRolloutRequest request = fields.request();
        return drover.withServer(
                server -> {
                    var answer = server.idempotentRollouts().createRollout(request);
                    Rollout rollout = answer.getRollout();
                    if (start) {
                        rollout = startRollout(server, rollout);
                    }
                    if (!drover.printIfJson(answer.toBuilder().setRollout(rollout).build())) {
                        printCreated(rollout);
                        answer.getWarningsList()
                                .forEach(
                                        warning ->
                                                drover.console()
                                                        .printError(
                                                                "Warning: "
                                                                        + Style.sanitize(
                                                                                warning
                                                                                        .getSentence())));
                    }
                    return CommandFailed.OK;
                });
    }

    /** A rollout that cannot be started has been created all the same, so its id is told. */
    private Rollout startRollout(DroverClient server, Rollout rollout) {
        try {
            return RolloutRequestSender.start(
                            server.idempotentRollouts(), rollout.getId(), reason, "")
                    .rollout();
        } catch (RuntimeException e) {
            drover.console()
                    .printError("Rollout " + rollout.getId() + " is created, but was not started.");
            throw e;
        }
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
