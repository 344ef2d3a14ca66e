package drover.cli.group;

import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.rollout.RolloutPrinter;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.EnumNames;
import drover.rollout.v1.ExplainRolloutGroupRequest;
import drover.rollout.v1.ExplainRolloutGroupResponse;
import drover.rollout.v1.GetRolloutGroupRequest;
import drover.rollout.v1.GetRolloutGroupResponse;
import drover.rollout.v1.GetRolloutGroupStatusResponse;
import drover.rollout.v1.ListRolloutGroupsResponse;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.RolloutGroupStatus;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code drover group …}: what is short to say; what changes them is in {@link
 * GroupControlCommands}.
 */
@Command(
        name = "group",
        description = "Rollout groups: several programs of one chain, one after the other.")
public final class GroupCommands extends SubcommandGroup {
    private final DroverRootCommand drover;

    public GroupCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Lists groups, newest first.")
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
                    String status) {
        int wanted = EnumNames.parseNumber("--status", status, RolloutGroupStatus.getDescriptor());
        return drover.withServer(
                server -> {
                    List<RolloutGroup> groups =
                            new GroupQueryClient(server).listGroups(chain, wanted);
                    if (!drover.printIfJson(
                            ListRolloutGroupsResponse.newBuilder().addAllGroups(groups).build())) {
                        GroupPrinter.printList(groups, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows a group and the rollouts of its components.")
    int get(
            @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
                    String id) {
        return drover.withServer(
                server -> {
                    GetRolloutGroupResponse answer =
                            server.groups()
                                    .getRolloutGroup(
                                            GetRolloutGroupRequest.newBuilder()
                                                    .setGroupId(
                                                            new GroupQueryClient(server)
                                                                    .resolveId(id))
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        GroupPrinter.printDetails(answer.getGroup(), drover.console());
                        RolloutPrinter.printList(answer.getRolloutsList(), drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows how far each component of a group is.")
    int status(
            @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
                    String id) {
        return drover.withServer(
                server -> {
                    GroupQueryClient reader = new GroupQueryClient(server);
                    RolloutGroup group = reader.fetchGroup(reader.resolveId(id));
                    if (!drover.printIfJson(
                            GetRolloutGroupStatusResponse.newBuilder().setGroup(group).build())) {
                        GroupPrinter.printDetails(group, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Says why a group is where it is.")
    int why(
            @Parameters(paramLabel = "ID", description = "Group, or the start of its id.")
                    String id,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "At most this many past reasons (default: 20).")
                    int limit) {
        return drover.withServer(
                server -> {
                    ExplainRolloutGroupResponse answer =
                            server.groups()
                                    .explainRolloutGroup(
                                            ExplainRolloutGroupRequest.newBuilder()
                                                    .setGroupId(
                                                            new GroupQueryClient(server)
                                                                    .resolveId(id))
                                                    .setLimit(limit)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        GroupPrinter.printExplanation(answer, drover.console());
                    }
                    return CommandFailed.OK;
                });
    }
}
