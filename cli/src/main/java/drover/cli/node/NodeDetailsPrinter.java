package drover.cli.node;

import drover.agent.v1.ProgramReport;
import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.node.v1.Node;
import drover.node.v1.ProgramCondition;
import java.util.Optional;
import java.util.stream.Collectors;

/** What {@code drover node show} tells of a node. */
final class NodeDetailsPrinter {
    private NodeDetailsPrinter() {}

    static void print(Node node, Console console) {
        String seen =
                TimeTextConverter.formatWithAge(
                        node.getLastSeenAt(), console.clock().instant(), console.clock().getZone());
        console.printLine("node     " + node.getId());
        console.printLine(
                "status   "
                        + console.style()
                                .colorizeByWord(
                                        NodeCommands.status(node), NodeCommands.status(node)));
        blockReasonText(node).ifPresent(why -> console.printLine("barred   " + why));
        console.printLine("health   " + Style.sanitize(NodeCommands.health(node)));
        if (node.getOpenIncidents() > 0) {
            console.printLine("open     " + incidents(node));
        }
        console.printLine("chain    " + node.getChainProfileId() + ", type " + node.getNodeType());
        console.printLine("labels   " + Style.sanitize(labels(node)));
        console.printLine(
                Style.sanitize(
                        "agent    %s on %s, runtime %s"
                                .formatted(
                                        NodeCommands.agentVersionText(node),
                                        node.getPlatform(),
                                        node.getRuntime())));
        console.printLine("gateway  " + Style.sanitize(gateway(node)));
        console.printLine("seen     " + seen);
        ClusterStateText.lines(node)
                .forEach(line -> console.printLine("cluster  " + Style.sanitize(line)));
        ConsoleTable programs =
                new ConsoleTable("PROGRAM", "VERSION", "RUNNING", "DIGEST", "CONFIG");
        for (ProgramReport program : node.getProgramsList()) {
            programs.addRow(
                    program.getName(),
                    program.getVersion(),
                    program.getRunning() ? "yes" : "no",
                    program.getRunningDigest(),
                    program.getConfigDigest());
        }
        console.printLine("");
        console.print(programs);
        printProblems(node, console);
    }

    /** Every failing probe of each program; the sentence of its health quotes only the first. */
    static void printProblems(Node node, Console console) {
        ConsoleTable problems = new ConsoleTable("PROGRAM", "PROBLEM");
        for (ProgramCondition condition : node.getConditionsList()) {
            for (String problem : condition.getProbeDetailsList()) {
                problems.addRow(condition.getProgram(), problem);
            }
        }
        if (!problems.isEmpty()) {
            console.printLine("");
            console.print(problems);
        }
    }

    /** Why nobody may speak for it; 'drover node why' says what to do. */
    private static Optional<String> blockReasonText(Node node) {
        String why = "; see 'drover node why " + node.getId() + "'";
        return switch (node.getBlockReason()) {
            case BLOCK_REASON_REVOKED -> Optional.of("revoked by an operator" + why);
            case BLOCK_REASON_CLONED -> Optional.of("its identity was in use at two places" + why);
            case BLOCK_REASON_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
        };
    }

    /** Where to look when a node seems to be away: its gateway may be the one that is. */
    private static String gateway(Node node) {
        String last = node.getLastGatewayId();
        if (!node.getGatewayId().isEmpty()) {
            return node.getGatewayId();
        }
        return last.isEmpty()
                ? "-"
                : last + " held it last and is not heard of: look at it and its way to PostgreSQL";
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
