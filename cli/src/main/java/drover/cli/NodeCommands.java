package drover.cli;

import drover.agent.v1.ProgramReport;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetNodeRequest;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import java.time.Instant;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover node …}. */
@Command(name = "node", description = "Nodes, and what runs on them.")
final class NodeCommands extends Group {
    private static final int PAGE = 500;
    private static final int MOST_PAGES = 40; // 20,000 nodes

    private final DroverCommand drover;

    NodeCommands(DroverCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Lists nodes.")
    int list(
            @Option(
                            names = "--chain",
                            paramLabel = "CHAIN",
                            defaultValue = "",
                            description = "Only of this chain.")
                    String chain,
            @Option(
                            names = "--type",
                            paramLabel = "TYPE",
                            defaultValue = "",
                            description = "Only of this type.")
                    String type) {
        return drover.withServer(
                server -> {
                    ListNodesResponse nodes = all(server, chain, type);
                    if (!drover.printedAsJson(nodes)) {
                        print(nodes);
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows a node.")
    int show(@Parameters(paramLabel = "NODE", description = "Node.") String id) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.nodes()
                                    .getNode(GetNodeRequest.newBuilder().setNodeId(id).build());
                    if (!drover.printedAsJson(answer)) {
                        print(answer.getNode());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Says why a node is as it is.")
    int why(@Parameters(paramLabel = "NODE", description = "Node.") String id) {
        return drover.withServer(
                server -> {
                    ExplainNodeResponse answer =
                            server.nodes()
                                    .explainNode(
                                            ExplainNodeRequest.newBuilder().setNodeId(id).build());
                    if (!drover.printedAsJson(answer)) {
                        print(answer);
                    }
                    return CommandFailed.OK;
                });
    }

    private static ListNodesResponse all(Server server, String chain, String type) {
        ListNodesResponse.Builder nodes = ListNodesResponse.newBuilder();
        String token = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            ListNodesResponse answer =
                    server.nodes()
                            .listNodes(
                                    ListNodesRequest.newBuilder()
                                            .setChainProfileId(chain)
                                            .setNodeType(type)
                                            .setPageSize(PAGE)
                                            .setPageToken(token)
                                            .build());
            nodes.addAllNodes(answer.getNodesList());
            token = answer.getNextPageToken();
            if (token.isEmpty()) {
                break;
            }
        }
        return nodes.build();
    }

    private void print(ListNodesResponse nodes) {
        Instant now = drover.console().clock().instant();
        Table table =
                new Table("NODE", "STATUS", "HEALTH", "CHAIN", "TYPE", "RUNS", "RUNTIME", "SEEN");
        for (Node node : nodes.getNodesList()) {
            table.row(
                    node.getId(),
                    status(node),
                    Words.of(node.getHealth()),
                    node.getChainProfileId(),
                    node.getNodeType(),
                    node.getProgramsList().stream()
                            .map(program -> program.getName() + " " + program.getVersion())
                            .collect(Collectors.joining(", ")),
                    node.getRuntime(),
                    Times.relative(node.getLastSeenAt(), now));
        }
        if (table.isEmpty()) {
            drover.console().say("There is no such node.");
        } else {
            drover.console().print(table);
        }
    }

    private void print(Node node) {
        Console console = drover.console();
        String seen =
                Times.shown(
                        node.getLastSeenAt(), console.clock().instant(), console.clock().getZone());
        console.say("node     " + node.getId());
        console.say("status   " + console.style().as(status(node), status(node)));
        console.say("health   " + Style.plain(health(node)));
        console.say("chain    " + node.getChainProfileId() + ", type " + node.getNodeType());
        console.say("labels   " + Style.plain(labels(node)));
        console.say(
                Style.plain(
                        "agent    %s on %s, runtime %s"
                                .formatted(
                                        node.getAgentVersion(),
                                        node.getPlatform(),
                                        node.getRuntime())));
        console.say("seen     " + seen);
        Table programs = new Table("PROGRAM", "VERSION", "RUNNING", "DIGEST", "CONFIG");
        for (ProgramReport program : node.getProgramsList()) {
            programs.row(
                    program.getName(),
                    program.getVersion(),
                    program.getRunning() ? "yes" : "no",
                    program.getRunningDigest(),
                    program.getConfigDigest());
        }
        console.say("");
        console.print(programs);
    }

    private void print(ExplainNodeResponse answer) {
        Console console = drover.console();
        console.say("Node " + answer.getNode().getId() + " is " + status(answer.getNode()) + ".");
        console.say("Health: " + Style.plain(health(answer.getNode())));
        Table table = new Table("SINCE", "CODE", "ROLLOUT", "WHY");
        answer.getReasonsList()
                .forEach(
                        reason ->
                                table.row(
                                        Times.shown(
                                                reason.getAt(),
                                                console.clock().instant(),
                                                console.clock().getZone()),
                                        reason.getCode(),
                                        reason.getRolloutId(),
                                        reason.getSentence()));
        if (!table.isEmpty()) {
            console.say("");
            console.print(table);
        }
    }

    private static String status(Node node) {
        return node.getOnline() ? "online" : "offline";
    }

    /** The word and why; a server too old to say it says nothing. */
    private static String health(Node node) {
        String word = Words.of(node.getHealth());
        if (word.isEmpty()) {
            return "not said by this server";
        }
        return node.getHealthDetail().isEmpty() ? word : word + ": " + node.getHealthDetail();
    }

    private static String labels(Node node) {
        return node.getLabelsMap().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
