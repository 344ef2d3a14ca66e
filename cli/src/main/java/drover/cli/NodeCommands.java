package drover.cli;

import com.google.protobuf.Message;
import drover.agent.v1.ProgramReport;
import drover.node.v1.ClearNodeRequest;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetNodeRequest;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeRequestReceipt;
import drover.node.v1.NodeRequestState;
import drover.node.v1.RetireNodeRequest;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
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
                    String type,
            @Option(
                            names = "--label",
                            paramLabel = "KEY=VALUE",
                            description = "Only with this label; may be repeated.")
                    @Nullable List<String> labels) { // null: the option was not given
        ListNodesRequest.Builder wanted =
                ListNodesRequest.newBuilder()
                        .setChainProfileId(chain)
                        .setNodeType(type)
                        .setPageSize(PAGE)
                        .addAllLabel(labels == null ? List.of() : labels);
        return drover.withServer(
                server -> {
                    ListNodesResponse nodes = all(server, wanted);
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

    @Command(description = "Says why a node is as it is, or was.")
    int why(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Option(
                            names = "--at",
                            paramLabel = "TIME",
                            defaultValue = "",
                            description = "As it was then, such as 2026-01-31T12:00:00Z.")
                    String at) {
        ExplainNodeRequest.Builder request = ExplainNodeRequest.newBuilder().setNodeId(id);
        if (!at.isEmpty()) {
            request.setAsOf(Times.moment("--at", at, drover.console().clock().getZone()));
        }
        return drover.withServer(
                server -> {
                    ExplainNodeResponse answer = server.nodes().explainNode(request.build());
                    if (!drover.printedAsJson(answer)) {
                        NodeTables.why(answer, request.getAsOf(), drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Takes the mark off a node that a person has put right.")
    int clear(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Option(
                            names = "--reason",
                            paramLabel = "TEXT",
                            required = true,
                            description = "Why, for the history.")
                    String reason) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.nodesToChange()
                                    .clearNode(
                                            ClearNodeRequest.newBuilder()
                                                    .setNodeId(id)
                                                    .setReason(reason)
                                                    .build());
                    return tell(
                            answer,
                            answer.getRequest(),
                            id,
                            "Node " + id + " is cleared: rollouts may use it again.");
                });
    }

    @Command(description = "Gives up a node that will not come back; its agent must be stopped.")
    int retire(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Option(
                            names = "--reason",
                            paramLabel = "TEXT",
                            required = true,
                            description = "Why, for the history.")
                    String reason) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.nodesToChange()
                                    .retireNode(
                                            RetireNodeRequest.newBuilder()
                                                    .setNodeId(id)
                                                    .setReason(reason)
                                                    .build());
                    return tell(
                            answer,
                            answer.getRequest(),
                            id,
                            "Node "
                                    + id
                                    + " is retired: its credential is void, no rollout uses it.");
                });
    }

    private int tell(Message whole, NodeRequestReceipt request, String id, String done) {
        if (!drover.printedAsJson(whole)) {
            drover.console()
                    .say(
                            request.getState() == NodeRequestState.NODE_REQUEST_STATE_PENDING
                                    ? "Asked, and not done yet. Look with 'drover node why "
                                            + id
                                            + "'."
                                    : done);
        }
        return CommandFailed.OK;
    }

    private static ListNodesResponse all(Server server, ListNodesRequest.Builder wanted) {
        ListNodesResponse.Builder nodes = ListNodesResponse.newBuilder();
        String token = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            ListNodesResponse answer = server.nodes().listNodes(wanted.setPageToken(token).build());
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
                new Table(
                        "NODE", "STATUS", "HEALTH", "CHAIN", "TYPE", "RUNS", "RUNTIME", "AGENT",
                        "SEEN");
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
                    agent(node),
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
        if (node.getOpenIncidents() > 0) {
            console.say("open     " + incidents(node));
        }
        console.say("chain    " + node.getChainProfileId() + ", type " + node.getNodeType());
        console.say("labels   " + Style.plain(labels(node)));
        console.say(
                Style.plain(
                        "agent    %s on %s, runtime %s"
                                .formatted(agent(node), node.getPlatform(), node.getRuntime())));
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

    /** The agent that is there, and the one that shall be where that is another. */
    static String agent(Node node) {
        String wanted = node.getDesiredAgentVersion();
        return wanted.isEmpty() || wanted.equals(node.getAgentVersion())
                ? node.getAgentVersion()
                : node.getAgentVersion() + " -> " + wanted;
    }

    static String status(Node node) {
        if (node.hasRetiredAt()) {
            return "retired";
        }
        return node.getOnline() ? "online" : "offline";
    }

    /** The word and why; a server too old to say it says nothing. */
    static String health(Node node) {
        String word = Words.of(node.getHealth());
        if (word.isEmpty()) {
            return "not said by this server";
        }
        return node.getHealthDetail().isEmpty() ? word : word + ": " + node.getHealthDetail();
    }

    private static String incidents(Node node) {
        return node.getOpenIncidents()
                + (node.getOpenIncidents() == 1 ? " incident" : " incidents")
                + (node.getDegraded() ? ", degraded" : "")
                + "; see 'drover incident list --node "
                + node.getId()
                + "'";
    }

    private static String labels(Node node) {
        return node.getLabelsMap().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .sorted()
                .collect(Collectors.joining(" "));
    }
}
