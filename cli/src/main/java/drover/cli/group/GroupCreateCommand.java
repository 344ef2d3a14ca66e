package drover.cli.group;

import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.CreateRolloutGroupRequest;
import drover.rollout.v1.FailurePolicy;
import drover.rollout.v1.GroupComponent;
import drover.rollout.v1.RolloutGroup;
import drover.rollout.v1.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover group create}: the components in the order in which they are upgraded. */
@Command(
        name = "create",
        abbreviateSynopsis = true,
        description = "Creates a group: a pending rollout for each component.")
public final class GroupCreateCommand implements Callable<Integer> {
    private final DroverRootCommand drover;

    @Option(names = "--chain", paramLabel = "CHAIN", required = true, description = "Chain.")
    private String chain = "";

    @Option(names = "--type", paramLabel = "TYPE", description = "Type of the targets.")
    private String type = "";

    @Option(
            names = "--on-failure",
            paramLabel = "POLICY",
            required = true,
            description = "partial_ok, rollback_all or manual; there is no default.")
    private String policy = "";

    @Option(
            names = "--component",
            paramLabel = "PROGRAM,from=V,to=V[,KEY=VALUE…]",
            required = true,
            description =
                    "A program and its versions, and upgrade=ID or url=… and checksum=…; also"
                            + " strategy=… and batch-size=… of its own. Repeat it in order.")
    private List<String> components = new ArrayList<>();

    @Option(
            names = "--strategy",
            paramLabel = "STRATEGY",
            description = "rolling, canary, progressive or all_at_once.")
    private String strategy = "";

    @Option(names = "--batch-size", paramLabel = "N", description = "Nodes a batch.")
    private int batchSize;

    @Option(names = "--canary-size", paramLabel = "N", description = "Nodes of a canary.")
    private int canarySize;

    @Option(
            names = "--health-wait",
            paramLabel = "TIME",
            description = "How long a node must be well, such as 60s.")
    private String healthWait = "";

    @Option(
            names = "--node",
            paramLabel = "NODE",
            split = ",",
            description = "Only this node; repeatable.")
    private List<String> nodes = new ArrayList<>();

    @Option(
            names = "--exclude",
            paramLabel = "NODE",
            split = ",",
            description = "Not this node; repeatable.")
    private List<String> exclude = new ArrayList<>();

    @Option(names = "--start", description = "Start it at once.")
    private boolean start;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, if it is started at once.")
    private String reason = "";

    public GroupCreateCommand(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Override
    public Integer call() {
        CreateRolloutGroupRequest request = request();
        return drover.withServer(
                server -> {
                    var answer = server.idempotentGroups().createRolloutGroup(request);
                    RolloutGroup group =
                            start ? startGroup(server, answer.getGroup()) : answer.getGroup();
                    if (!drover.printIfJson(answer.toBuilder().setGroup(group).build())) {
                        GroupPrinter.printDetails(group, drover.console());
                        drover.console()
                                .printLine(
                                        "Next: "
                                                + drover.withConnectionOptions(
                                                        "drover group %s %s"
                                                                .formatted(
                                                                        start ? "watch" : "start",
                                                                        group.getId())));
                        drover.console().printLine(group.getId());
                    }
                    return CommandFailed.OK;
                });
    }

    /** A group that cannot be started has been created all the same, so its id is told. */
    private RolloutGroup startGroup(DroverClient server, RolloutGroup group) {
        try {
            return GroupControlCommands.start(server.idempotentGroups(), group.getId(), reason)
                    .group();
        } catch (RuntimeException e) {
            drover.console()
                    .printError("Group " + group.getId() + " is created, but was not started.");
            throw e;
        }
    }

    private CreateRolloutGroupRequest request() {
        CreateRolloutGroupRequest.Builder request =
                CreateRolloutGroupRequest.newBuilder()
                        .setChainProfileId(chain)
                        .setNodeType(type)
                        .setFailurePolicyValue(
                                EnumNames.parseNumber(
                                        "--on-failure", policy, FailurePolicy.getDescriptor()))
                        .setStrategyValue(
                                EnumNames.parseNumber(
                                        "--strategy", strategy, Strategy.getDescriptor()))
                        .setBatchSize(requireNotNegative("--batch-size", batchSize))
                        .setCanarySize(requireNotNegative("--canary-size", canarySize))
                        .addAllNodeIds(nodes)
                        .addAllExclude(exclude);
        if (!healthWait.isEmpty()) {
            request.setHealthWaitDuration(
                    TimeTextConverter.parseDuration("--health-wait", healthWait));
        }
        components.forEach(text -> addComponent(request, text));
        return request.build();
    }

    private static int requireNotNegative(String option, int number) {
        if (number < 0) {
            throw CommandFailed.usage(option + " does not take '" + number + "'; write 1 or more.");
        }
        return number;
    }

    private static void addComponent(CreateRolloutGroupRequest.Builder request, String text) {
        List<String> parts = List.of(text.split(",", -1));
        GroupComponent.Builder component =
                GroupComponent.newBuilder().setBinaryName(parts.getFirst());
        for (String part : parts.subList(1, parts.size())) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? part : part.substring(0, equals);
            String value = part.substring(equals + 1);
            switch (key) {
                case "to" -> request.putDesiredVersions(component.getBinaryName(), value);
                case "from" -> component.setSourceVersion(value);
                case "upgrade" -> component.setUpgradeId(value);
                case "url" -> component.setTargetBinaryUrl(value);
                case "checksum" -> component.setTargetBinaryChecksum(value);
                case "type" -> component.setNodeType(value);
                case "strategy" ->
                        component.setStrategyValue(
                                EnumNames.parseNumber(
                                        "--component strategy", value, Strategy.getDescriptor()));
                case "batch-size" -> component.setBatchSize(parseBatchSize(value));
                default ->
                        throw CommandFailed.usage(
                                "--component does not take '"
                                        + part
                                        + "'; after the program write from=, to=, upgrade=, url=,"
                                        + " checksum=, type=, strategy= or batch-size=.");
            }
        }
        request.addComponentOrder(component);
    }

    private static int parseBatchSize(String text) {
        if (!text.matches("[0-9]{1,5}")) {
            throw CommandFailed.usage(
                    "--component batch-size does not take '" + text + "'; write a number.");
        }
        return Integer.parseInt(text);
    }
}
