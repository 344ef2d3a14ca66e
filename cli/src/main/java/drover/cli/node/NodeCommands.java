package drover.cli.node;

import com.google.protobuf.Message;
import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.ReasonOption;
import drover.cli.command.SubcommandGroup;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.TimeTextConverter;
import drover.node.v1.ClearNodeRequest;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetNodeLogRequest;
import drover.node.v1.GetNodeLogResponse;
import drover.node.v1.GetNodeRequest;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeRequestReceipt;
import drover.node.v1.NodeRequestState;
import drover.node.v1.RetireNodeRequest;
import drover.node.v1.RevokeNodeRequest;
import drover.node.v1.RevokeNodeResponse;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover node …}. */
@Command(name = "node", description = "Nodes, and what runs on them.")
public final class NodeCommands extends SubcommandGroup {
    private static final int PAGE = 500;
    private static final int MOST_PAGES = 40; // 20,000 nodes

    private final DroverRootCommand drover;

    public NodeCommands(DroverRootCommand drover) {
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
                    ListNodesResponse nodes = listAllNodes(server, wanted);
                    if (!drover.printIfJson(nodes)) {
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
                    if (!drover.printIfJson(answer)) {
                        NodeDetailsPrinter.print(answer.getNode(), drover.console());
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
            request.setAsOf(
                    TimeTextConverter.parseTimestamp(
                            "--at", at, drover.console().clock().getZone()));
        }
        return drover.withServer(
                server -> {
                    ExplainNodeResponse answer = server.nodes().explainNode(request.build());
                    if (!drover.printIfJson(answer)) {
                        NodeExplanationPrinter.printExplanation(
                                answer, request.getAsOf(), drover.console());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Prints the end of a program's output, of its current run.")
    int log(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Parameters(
                            paramLabel = "PROGRAM",
                            arity = "0..1",
                            defaultValue = "",
                            description = "Program; not needed if the node has only one.")
                    String program) {
        return drover.withServer(
                server -> {
                    String name = ProgramResolver.resolveName(program, id, server);
                    GetNodeLogResponse response =
                            server.nodes()
                                    .getNodeLog(
                                            GetNodeLogRequest.newBuilder()
                                                    .setNodeId(id)
                                                    .setProgram(name)
                                                    .build());
                    if (!drover.printIfJson(response)) {
                        printLog(name, response.getText());
                    }
                    return CommandFailed.OK;
                });
    }

    private void printLog(String program, String text) {
        if (text.isEmpty()) {
            drover.console().printError("The program " + program + " printed nothing.");
        } else {
            drover.console().printLine(text.stripTrailing());
        }
    }

    @Command(description = "Takes the mark off a node that a person has put right.")
    int clear(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Mixin ReasonOption reason) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.idempotentNodes()
                                    .clearNode(
                                            ClearNodeRequest.newBuilder()
                                                    .setNodeId(id)
                                                    .setReason(reason.text())
                                                    .build());
                    return reportReceipt(
                            answer,
                            answer.getRequest(),
                            id,
                            "Node " + id + " is cleared: rollouts may use it again.");
                });
    }

    @Command(description = "Ends all that proves a node, and its connections, within 5 seconds.")
    int revoke(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Mixin ReasonOption reason) {
        return drover.withServer(
                server -> {
                    RevokeNodeResponse answer =
                            server.idempotentNodes()
                                    .revokeNode(
                                            RevokeNodeRequest.newBuilder()
                                                    .setNodeId(id)
                                                    .setReason(reason.text())
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        drover.console().printLine(revocationSentence(answer));
                    }
                    return CommandFailed.OK;
                });
    }

    private static String revocationSentence(RevokeNodeResponse ended) {
        Node node = ended.getNode();
        return ("Node %s is revoked: %s and %s ended, its connections end within 5 s.%n"
                        + "To have it back, enroll its machine anew:"
                        + " drover token create --chain %s --type %s --node %s")
                .formatted(
                        node.getId(),
                        pluralize(ended.getRevokedCertificates(), "certificate"),
                        pluralize(ended.getRevokedJoinTokens(), "join token"),
                        node.getChainProfileId(),
                        node.getNodeType(),
                        node.getId());
    }

    private static String pluralize(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    @Command(description = "Gives up a node that will not come back; its agent must be stopped.")
    int retire(
            @Parameters(paramLabel = "NODE", description = "Node.") String id,
            @Mixin ReasonOption reason) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.idempotentNodes()
                                    .retireNode(
                                            RetireNodeRequest.newBuilder()
                                                    .setNodeId(id)
                                                    .setReason(reason.text())
                                                    .build());
                    return reportReceipt(
                            answer,
                            answer.getRequest(),
                            id,
                            "Node "
                                    + id
                                    + " is retired: its credentials are void, no rollout uses"
                                    + " it.");
                });
    }

    private int reportReceipt(Message whole, NodeRequestReceipt request, String id, String done) {
        if (!drover.printIfJson(whole)) {
            drover.console()
                    .printLine(
                            request.getState() == NodeRequestState.NODE_REQUEST_STATE_PENDING
                                    ? "Asked, and not done yet. Look with 'drover node why "
                                            + id
                                            + "'."
                                    : done);
        }
        return CommandFailed.OK;
    }

    private static ListNodesResponse listAllNodes(
            DroverClient server, ListNodesRequest.Builder wanted) {
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
        ConsoleTable table =
                new ConsoleTable(
                        "NODE", "STATUS", "HEALTH", "CHAIN", "TYPE", "RUNS", "RUNTIME", "AGENT",
                        "SEEN");
        for (Node node : nodes.getNodesList()) {
            table.addRow(
                    node.getId(),
                    status(node),
                    healthAndIncidents(node),
                    node.getChainProfileId(),
                    node.getNodeType(),
                    node.getProgramsList().stream()
                            .map(program -> program.getName() + " " + program.getVersion())
                            .collect(Collectors.joining(", ")),
                    node.getRuntime(),
                    agentVersionText(node),
                    TimeTextConverter.relative(node.getLastSeenAt(), now));
        }
        if (table.isEmpty()) {
            drover.console().printLine("There is no such node.");
        } else {
            drover.console().print(table);
        }
    }

    /** Health alone is ok on a node that needs a clear: its open incident shows that. */
    private static String healthAndIncidents(Node node) {
        int open = node.getOpenIncidents();
        String health = EnumNames.of(node.getHealth());
        return open == 0 ? health : health + ", " + open + (open == 1 ? " incident" : " incidents");
    }

    /** The agent that is there, and the one that shall be where that is another. */
    static String agentVersionText(Node node) {
        String wanted = node.getDesiredAgentVersion();
        return wanted.isEmpty() || wanted.equals(node.getAgentVersion())
                ? node.getAgentVersion()
                : node.getAgentVersion() + " -> " + wanted;
    }

    static String status(Node node) {
        if (node.hasRetiredAt()) {
            return "retired";
        }
        return switch (node.getBlockReason()) {
            case BLOCK_REASON_REVOKED -> "revoked";
            case BLOCK_REASON_CLONED -> "locked";
            case BLOCK_REASON_UNSPECIFIED, UNRECOGNIZED -> node.getOnline() ? "online" : "offline";
        };
    }

    /** The word and why; a server too old to say it says nothing. */
    static String health(Node node) {
        String word = EnumNames.of(node.getHealth());
        if (word.isEmpty()) {
            return "not said by this server";
        }
        return node.getHealthDetail().isEmpty() ? word : word + ": " + node.getHealthDetail();
    }
}
