package drover.cli.rollout;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.GetRolloutResponse;
import drover.rollout.v1.ListRolloutNodesResponse;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutStatus;
import java.time.ZoneId;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code drover rollout …}: what is short to say; what changes them is in {@link
 * RolloutControlCommands}.
 */
@Command(name = "rollout", description = "Rollouts: who is upgraded when, and why.")
public final class RolloutCommands extends SubcommandGroup {
    private final DroverRootCommand drover;

    public RolloutCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Lists rollouts, newest first.")
    int list(
            @Option(
                            names = "--chain",
                            paramLabel = "CHAIN",
                            defaultValue = "",
                            description = "Only of this chain.")
                    String chain,
            @Option(
                            names = "--status",
                            paramLabel = "STATUS",
                            defaultValue = "",
                            description = "Only with this status.")
                    String status,
            @Option(names = "--active", description = "Only those that have not ended.")
                    boolean active,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "50",
                            description = "At most this many (default: 50).")
                    int limit) {
        int wanted = EnumNames.parseNumber("--status", status, RolloutStatus.getDescriptor());
        return drover.withServer(
                server -> {
                    List<Rollout> rollouts =
                            new RolloutQueryClient(server)
                                    .listRollouts(chain, wanted).stream()
                                            .filter(
                                                    rollout ->
                                                            !active
                                                                    || !RolloutStatusRules.isFinal(
                                                                            rollout))
                                            .limit(Math.max(0, limit))
                                            .toList();
                    if (!drover.printIfJson(
                            ListRolloutsResponse.newBuilder().addAllRollouts(rollouts).build())) {
                        RolloutPrinter.printList(rollouts, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows a rollout.")
    int show(
            @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
                    String id) {
        return withRollout(
                id,
                (server, whole) -> {
                    Rollout rollout = new RolloutQueryClient(server).fetchRollout(whole);
                    if (!drover.printIfJson(
                            GetRolloutResponse.newBuilder().setRollout(rollout).build())) {
                        RolloutPrinter.printRollout(rollout, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Lists the nodes of a rollout.")
    int nodes(
            @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
                    String id) {
        return withRollout(
                id,
                (server, whole) -> {
                    List<RolloutNode> nodes = new RolloutQueryClient(server).listNodes(whole);
                    if (!drover.printIfJson(
                            ListRolloutNodesResponse.newBuilder().addAllNodes(nodes).build())) {
                        RolloutPrinter.printNodes(nodes, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Says why a rollout is where it is, or was.")
    int why(
            @Parameters(paramLabel = "ID", description = "Rollout, or the start of its id.")
                    String id,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "At most this many past reasons (default: 20).")
                    int limit,
            @Option(
                            names = "--at",
                            paramLabel = "TIME",
                            defaultValue = "",
                            description = "As it was then, such as 2026-01-31T12:00:00Z.")
                    String at) {
        ZoneId zone = drover.console().clock().getZone();
        ExplainRolloutRequest.Builder request = ExplainRolloutRequest.newBuilder().setLimit(limit);
        if (!at.isEmpty()) {
            request.setAsOf(TimeTextConverter.parseTimestamp("--at", at, zone));
        }
        String past =
                at.isEmpty() ? "" : TimeTextConverter.formatTimestamp(request.getAsOf(), zone);
        return withRollout(
                id,
                (server, whole) -> {
                    ExplainRolloutResponse answer =
                            server.rollouts().explainRollout(request.setRolloutId(whole).build());
                    if (!drover.printIfJson(answer)) {
                        RolloutPrinter.printExplanation(answer, limit, past, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    private int withRollout(String id, RolloutAction work) {
        return drover.withServer(
                server -> work.execute(server, new RolloutQueryClient(server).resolveId(id)));
    }

    /** What a command does with a rollout whose whole id is known. */
    private interface RolloutAction {
        int execute(DroverClient server, String wholeId);
    }
}
