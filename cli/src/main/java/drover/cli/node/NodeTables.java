package drover.cli.node;

import com.google.protobuf.Timestamp;
import drover.cli.terminal.Console;
import drover.cli.terminal.Style;
import drover.cli.terminal.Table;
import drover.cli.terminal.TimeFormat;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.NodeAttempt;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeRequest;
import java.util.List;

/** Why a node is as it is, as tables. */
final class NodeTables {
    private NodeTables() {}

    /**
     * @param at the moment explained; unset for now
     */
    static void why(ExplainNodeResponse answer, Timestamp at, Console console) {
        boolean past = !at.equals(Timestamp.getDefaultInstance());
        console.printLine(
                "Node %s is %s%s."
                        .formatted(
                                answer.getNode().getId(),
                                NodeCommands.status(answer.getNode()),
                                past ? " now" : ""));
        if (!past) {
            console.printLine("Health: " + Style.plain(NodeCommands.health(answer.getNode())));
        }
        String moment = past ? "At " + TimeFormat.moment(at, console.clock().getZone()) : "Now";
        print(moment + ":", reasons(answer.getCurrentList(), console), console);
        print("Attempts, newest first:", attempts(answer.getAttemptsList(), console), console);
        print("Asked of it, newest first:", requests(answer.getRequestsList(), console), console);
        print("Before, newest first:", reasons(answer.getReasonsList(), console), console);
    }

    private static void print(String title, Table table, Console console) {
        if (!table.isEmpty()) {
            console.printLine("");
            console.printLine(title);
            console.print(table);
        }
    }

    private static Table reasons(List<NodeReason> reasons, Console console) {
        Table table = new Table("SINCE", "CODE", "ROLLOUT", "WHY");
        for (NodeReason reason : reasons) {
            table.row(
                    shown(reason.getAt(), console),
                    reason.getCode(),
                    reason.getRolloutId(),
                    reason.getSentence());
        }
        return table;
    }

    private static Table attempts(List<NodeAttempt> attempts, Console console) {
        Table table = new Table("ATTEMPT", "WORK", "OUTCOME", "ASSIGNED", "CLOSED", "ROLLOUT");
        for (NodeAttempt attempt : attempts) {
            table.row(
                    attempt.getAttempt(),
                    attempt.getRestoreOf() == 0
                            ? "upgrade"
                            : "restore of " + attempt.getRestoreOf(),
                    attempt.getOutcome(),
                    shown(attempt.getAssignedAt(), console),
                    shown(attempt.getClosedAt(), console),
                    attempt.getRolloutId());
        }
        return table;
    }

    private static Table requests(List<NodeRequest> requests, Console console) {
        Table table = new Table("WHEN", "WHO", "WHAT", "STATE", "ROLLOUT", "WHY");
        for (NodeRequest requested : requests) {
            table.row(
                    shown(requested.getAt(), console),
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

    private static String shown(Timestamp at, Console console) {
        return TimeFormat.shown(at, console.clock().instant(), console.clock().getZone());
    }
}
