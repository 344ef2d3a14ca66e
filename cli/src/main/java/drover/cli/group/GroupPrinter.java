package drover.cli.group;

import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.ComponentProgress;
import drover.rollout.v1.ExplainRolloutGroupResponse;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RolloutGroup;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Groups as tables. */
final class GroupPrinter {
    private GroupPrinter() {}

    static void printList(List<RolloutGroup> groups, Console console) {
        Instant now = console.clock().instant();
        ConsoleTable table =
                new ConsoleTable("GROUP", "STATUS", "CHAIN", "ON FAILURE", "COMPONENTS", "CREATED");
        for (RolloutGroup group : groups) {
            table.addRow(
                    group.getId(),
                    EnumNames.nameOrUnknown(group.getStatus()),
                    group.getChainProfileId(),
                    EnumNames.of(group.getFailurePolicy()),
                    group.getComponentsList().stream()
                            .map(one -> one.getBinaryName() + " " + one.getTargetVersion())
                            .collect(Collectors.joining(", ")),
                    TimeTextConverter.relative(group.getCreatedAt(), now));
        }
        if (table.isEmpty()) {
            console.printLine("There is no such group. Create one with 'drover group create'.");
        } else {
            console.print(table);
        }
    }

    static void printDetails(RolloutGroup group, Console console) {
        console.printLine(statusSentence(group));
        ConsoleTable table =
                new ConsoleTable(
                        "COMPONENT", "PROGRAM", "FROM", "TO", "STATUS", "NODES", "ROLLOUT");
        for (ComponentProgress component : group.getComponentsList()) {
            table.addRow(
                    component.getComponentIndex() + 1,
                    component.getBinaryName(),
                    component.getSourceVersion(),
                    component.getTargetVersion(),
                    status(component),
                    component.getSucceededNodes() + "/" + component.getTotalNodes(),
                    component.getRolloutId());
        }
        console.print(table);
    }

    /** The status of a component's rollout, with the reason of a pause or failure. */
    static String status(ComponentProgress component) {
        String status =
                EnumNames.of(component.getStatus()) + (component.getSkipped() ? ", skipped" : "");
        String reason =
                EnumNames.of(component.getPauseReason())
                        + EnumNames.of(component.getFailureReason());
        return reason.isEmpty() ? status : status + " (" + reason + ")";
    }

    /** One line: which group, where it stands, and why. */
    static String statusSentence(RolloutGroup group) {
        String reason =
                EnumNames.of(group.getPauseReason()) + EnumNames.of(group.getFailureReason());
        return "Group %s is %s%s. %s"
                .formatted(
                        group.getId(),
                        EnumNames.of(group.getStatus()),
                        reason.isEmpty() ? "" : " (" + reason + ")",
                        Style.sanitize(group.getExplanation()));
    }

    static void printExplanation(ExplainRolloutGroupResponse answer, Console console) {
        console.printLine(statusSentence(answer.getGroup()));
        for (Reason because : answer.getHistoryList()) {
            console.printLine(
                    "%s %s %s [%s]"
                            .formatted(
                                    TimeTextConverter.formatTimestamp(
                                            because.getAt(), console.clock().getZone()),
                                    because.getActor(),
                                    Style.sanitize(because.getSentence()),
                                    because.getCode()));
        }
    }
}
