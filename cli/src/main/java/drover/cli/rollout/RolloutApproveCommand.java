package drover.cli.rollout;

import drover.cli.command.DroverRootCommand;
import drover.cli.terminal.Style;
import drover.rollout.v1.Evidence;
import drover.rollout.v1.Rollout;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover rollout approve}: shows what is approved, and approves that and nothing else. */
@Command(name = "approve", description = "Approves a proven canary, so that the rest follows.")
final class RolloutApproveCommand implements Callable<Integer> {
    private final DroverRootCommand drover;

    @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
    private String id = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the history.")
    private String reason = "";

    @Option(
            names = "--evidence",
            paramLabel = "DIGEST",
            description =
                    "Approve only on the evidence that 'rollout show' had before (default: what it"
                            + " has now).")
    private String pinned = "";

    RolloutApproveCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server -> {
                    RolloutQueryClient reader = new RolloutQueryClient(server);
                    String whole = reader.resolveId(id);
                    String evidence =
                            pinned.isEmpty()
                                    ? printAndGetEvidenceDigest(reader.fetchRollout(whole))
                                    : pinned;
                    return RolloutControlCommands.report(
                            RolloutRequestSender.approve(
                                    server.approverRollouts(), whole, reason, evidence),
                            whole,
                            drover);
                });
    }

    /** Empty where none is awaited: then the server says what to do instead. */
    private String printAndGetEvidenceDigest(Rollout rollout) {
        Evidence evidence = rollout.getEvidence();
        if (rollout.hasEvidence() && !drover.wantsJson()) {
            drover.console().printLine("Approving on evidence " + evidence.getDigest() + ":");
            evidence.getLinesList()
                    .forEach(line -> drover.console().printLine("  " + Style.sanitize(line)));
        }
        return evidence.getDigest();
    }
}
