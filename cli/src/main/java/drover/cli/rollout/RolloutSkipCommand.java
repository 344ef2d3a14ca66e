package drover.cli.rollout;

import drover.cli.command.DroverRootCommand;
import drover.cli.rollout.RolloutRequestSender.Response;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Leaving nodes of a rollout alone: one, several at once, or all that hold it up. */
@Command(
        description =
                "Leaves nodes alone; they count as skipped. Without NODE every node that failed,"
                        + " is unreachable or is held.")
final class RolloutSkipCommand implements Callable<Integer> {
    private final DroverRootCommand drover;

    @Parameters(index = "0", paramLabel = "ID", description = "Rollout, or its start.")
    private String id = "";

    @Parameters(index = "1..*", paramLabel = "NODE", description = "Node.")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why, for the history; required unless it is about one NODE.")
    private String reason = "";

    RolloutSkipCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server -> {
                    String whole = new RolloutQueryClient(server).resolveId(id);
                    return RolloutControlCommands.report(
                            send(server.idempotentRollouts(), whole), whole, drover);
                });
    }

    private Response send(RolloutServiceBlockingStub rollouts, String whole) {
        return nodes.size() == 1
                ? RolloutRequestSender.skip(rollouts, whole, nodes.getFirst(), reason)
                : RolloutRequestSender.skip(rollouts, whole, nodes, reason);
    }
}
