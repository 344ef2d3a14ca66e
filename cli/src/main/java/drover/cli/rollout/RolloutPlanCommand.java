package drover.cli.rollout;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.terminal.CommandFailed;
import drover.rollout.v1.GetRolloutPlanRequest;
import drover.rollout.v1.PlanRolloutRequest;
import drover.rollout.v1.RolloutPlan;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code drover rollout plan}: of one that is not created yet, or what remains of one. */
@Command(
        name = "plan",
        abbreviateSynopsis = true,
        description = {
            "Says what a rollout would do, changing nothing. Takes what 'create' takes;",
            "or a rollout's ID, and says what remains of it."
        })
public final class RolloutPlanCommand implements Callable<Integer> {
    private final DroverRootCommand drover;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private PlanArguments subject = new PlanArguments();

    /** One of the two that can be planned. */
    static final class PlanArguments {
        @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
        private String id = "";

        @ArgGroup(exclusive = false, multiplicity = "1")
        private RolloutCreationOptions fields = new RolloutCreationOptions();
    }

    public RolloutPlanCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        return drover.withServer(
                server ->
                        subject.id.isEmpty()
                                ? planNew(server, subject.fields)
                                : planRemaining(
                                        server,
                                        new RolloutQueryClient(server).resolveId(subject.id)));
    }

    private int planNew(DroverClient server, RolloutCreationOptions fields) {
        var answer =
                server.idempotentRollouts()
                        .planRollout(
                                PlanRolloutRequest.newBuilder()
                                        .setRollout(fields.request())
                                        .build());
        return report(answer, answer.getPlan());
    }

    private int planRemaining(DroverClient server, String id) {
        var answer =
                server.rollouts()
                        .getRolloutPlan(
                                GetRolloutPlanRequest.newBuilder().setRolloutId(id).build());
        return report(answer, answer.getPlan());
    }

    private int report(com.google.protobuf.Message answer, RolloutPlan plan) {
        if (!drover.printIfJson(answer)) {
            PlanPrinter.printPlan(plan, drover.console());
        }
        return CommandFailed.OK;
    }
}
