package drover.cli.node;

import com.google.protobuf.Timestamp;
import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.NodeAttempt;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequest;
import java.util.List;

/** Why a node is as it is, as tables. */
final class NodeExplanationPrinter {
    private NodeExplanationPrinter() {}

    /**
     * @param at the moment explained; unset for now
     */
    static void printExplanation(ExplainNodeResponse answer, Timestamp at, Console console) {
        boolean past = !at.equals(Timestamp.getDefaultInstance());
        console.printLine(
                "Node %s is %s%s."
                        .formatted(
                                answer.getNode().getId(),
                                NodeCommands.status(answer.getNode()),
                                past ? " now" : ""));
        if (!past) {
            console.printLine("Health: " + Style.sanitize(NodeCommands.health(answer.getNode())));
            NodeDetailsPrinter.printProblems(answer.getNode(), console);
        }
        String moment =
                past
                        ? "At " + TimeTextConverter.formatTimestamp(at, console.clock().getZone())
                        : "Now";
        print(moment + ":", reasons(answer.getCurrentList(), console), console);
        print("Attempts, newest first:", attempts(answer.getAttemptsList(), console), console);
        print("Asked of it, newest first:", requests(answer.getRequestsList(), console), console);
        print("Before, newest first:", reasons(answer.getReasonsList(), console), console);
    }

    private static void print(String title, ConsoleTable table, Console console) {
        if (!table.isEmpty()) {
            console.printLine("");
            console.printLine(title);
            console.print(table);
        }
    }

    private static ConsoleTable reasons(List<NodeReason> reasons, Console console) {
        ConsoleTable table = new ConsoleTable("SINCE", "CODE", "ROLLOUT", "WHY");
        for (NodeReason reason : reasons) {
            table.addRow(
                    formatTime(reason.getAt(), console),
                    reason.getCode(),
                    reason.getRolloutId(),
                    reason.getSentence());
        }
        return table;
    }

    private static ConsoleTable attempts(List<NodeAttempt> attempts, Console console) {
        ConsoleTable table =
                new ConsoleTable("ATTEMPT", "WORK", "OUTCOME", "ASSIGNED", "CLOSED", "ROLLOUT");
        for (NodeAttempt attempt : attempts) {
            table.addRow(
                    attempt.getAttempt(),
                    attempt.getRestoreOf() == 0
                            ? "upgrade"
                            : "restore of " + attempt.getRestoreOf(),
                    attempt.getOutcome(),
                    formatTime(attempt.getAssignedAt(), console),
                    formatTime(attempt.getClosedAt(), console),
                    attempt.getRolloutId());
        }
        return table;
    }

    private static ConsoleTable requests(List<NodeRequest> requests, Console console) {
        ConsoleTable table = new ConsoleTable("WHEN", "WHO", "WHAT", "STATE", "ROLLOUT", "WHY");
        for (NodeRequest requested : requests) {
            table.addRow(
                    formatTime(requested.getAt(), console),
                    requested.getActor(),
                    requested.getKind(),
                    requested.getState(),
                    requested.getRolloutId(),
                    requested.getRefusal().isEmpty()
                            ? requested.getReason()
                            : requested.getRefusal());
        }
        return table;
    }

    private static String formatTime(Timestamp at, Console console) {
        return TimeTextConverter.formatWithAge(
                at, console.clock().instant(), console.clock().getZone());
    }
}
