package drover.cli.group;

import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.Table;
import drover.cli.terminal.TimeFormat;
import drover.rollout.v1.ComponentProgress;
import drover.rollout.v1.ExplainRolloutGroupResponse;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RolloutGroup;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** Groups as tables. */
final class GroupTables {
    private GroupTables() {}

    static void list(List<RolloutGroup> groups, Console console) {
        Instant now = console.clock().instant();
        Table table = new Table("GROUP", "STATUS", "CHAIN", "ON FAILURE", "COMPONENTS", "CREATED");
        for (RolloutGroup group : groups) {
            table.row(
                    group.getId(),
                    EnumNames.status(group.getStatus()),
                    group.getChainProfileId(),
                    EnumNames.of(group.getFailurePolicy()),
                    group.getComponentsList().stream()
                            .map(one -> one.getBinaryName() + " " + one.getTargetVersion())
                            .collect(Collectors.joining(", ")),
                    TimeFormat.relative(group.getCreatedAt(), now));
        }
        if (table.isEmpty()) {
            console.printLine("There is no such group. Create one with 'drover group create'.");
        } else {
            console.print(table);
        }
    }

    static void show(RolloutGroup group, Console console) {
        console.printLine(sentence(group));
        Table table = new Table("COMPONENT", "PROGRAM", "FROM", "TO", "STATUS", "NODES", "ROLLOUT");
        for (ComponentProgress component : group.getComponentsList()) {
            table.row(
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
    static String sentence(RolloutGroup group) {
        String reason =
                EnumNames.of(group.getPauseReason()) + EnumNames.of(group.getFailureReason());
        return "Group %s is %s%s. %s"
                .formatted(
                        group.getId(),
                        EnumNames.of(group.getStatus()),
                        reason.isEmpty() ? "" : " (" + reason + ")",
                        Style.plain(group.getExplanation()));
    }

    static void why(ExplainRolloutGroupResponse answer, Console console) {
        console.printLine(sentence(answer.getGroup()));
        for (Reason because : answer.getHistoryList()) {
            console.printLine(
                    "%s %s %s [%s]"
                            .formatted(
                                    TimeFormat.moment(because.getAt(), console.clock().getZone()),
                                    because.getActor(),
                                    Style.plain(because.getSentence()),
                                    because.getCode()));
        }
    }
}
