package drover.cli.rollout;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.Preflight;
import drover.rollout.v1.PreflightRolloutRequest;
import drover.rollout.v1.PreflightRolloutResponse;
import drover.rollout.v1.RolloutPlan;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code drover rollout preflight}: would every action be done on every node, as things are? */
@Command(
        name = "preflight",
        description = {
            "Looks on every node of a pending rollout whether its actions could be done;",
            "changes nothing. Exit code 1 when some action would fail."
        })
public final class RolloutPreflightCommand implements Callable<Integer> {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
    private static final int MAX_POLLS = 660; // 11 minutes: the server gives up after 10

    private final DroverRootCommand drover;

    @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
    private String id = "";

    public RolloutPreflightCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server -> {
                    String whole = new RolloutQueryClient(server).resolveId(id);
                    return report(server, whole, startAndAwait(server, whole));
                });
    }

    private Preflight startAndAwait(DroverClient server, String whole) {
        Preflight latest =
                server.idempotentRollouts()
                        .preflightRollout(
                                PreflightRolloutRequest.newBuilder().setRolloutId(whole).build())
                        .getPreflight();
        for (int poll = 0; poll < MAX_POLLS && !latest.hasFinishedAt(); poll++) {
            if (!drover.console().ticker().await(POLL_INTERVAL)) {
                return latest;
            }
            latest = fetchPlan(server, whole).getPreflight();
        }
        return latest;
    }

    private static RolloutPlan fetchPlan(DroverClient server, String whole) {
        return server.rollouts()
                .getRolloutPlan(GetRolloutPlanRequest.newBuilder().setRolloutId(whole).build())
                .getPlan();
    }

    private int report(DroverClient server, String whole, Preflight preflight) {
        Console console = drover.console();
        RolloutPlan plan = fetchPlan(server, whole);
        if (!drover.printIfJson(
                PreflightRolloutResponse.newBuilder()
                        .setPreflight(preflight)
                        .addAllUnhealthyNodes(plan.getUnhealthyNodesList())
                        .addAllWarnings(plan.getWarningsList())
                        .build())) {
            console.print(PreflightFormatter.nodesTable(preflight));
            PlanPrinter.printUnhealthyNodes(plan.getUnhealthyNodesList(), console);
            console.printLine("");
            console.printLine(PreflightFormatter.summary(preflight, console));
            PlanPrinter.printWarnings(plan.getWarningsList(), console);
        }
        boolean healthy = preflight.hasFinishedAt() && preflight.getFailingNodes() == 0;
        return healthy ? CommandFailed.OK : CommandFailed.FAILED;
    }
}
