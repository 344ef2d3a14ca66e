package drover.cli.rollout;

import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.NodePreflight;
import drover.rollout.v1.Preflight;
import drover.rollout.v1.PreflightCheck;
import drover.rollout.v1.PreflightResult;
import java.util.List;

/** Preflights as tables. */
final class PreflightFormatter {
    private PreflightFormatter() {}

    /** When it was, and how many nodes are well; empty when there was none. */
    static String summary(Preflight preflight, Console console) {
        if (preflight.getId().isEmpty()) {
            return "";
        }
        if (!preflight.hasFinishedAt()) {
            return "under way, asked for by " + preflight.getRequestedBy();
        }
        return "%d ok, %d would fail, %d not checked, %s by %s"
                .formatted(
                        preflight.getOkNodes(),
                        preflight.getFailingNodes(),
                        preflight.getUncheckedNodes(),
                        TimeTextConverter.formatWithAge(
                                preflight.getFinishedAt(),
                                console.clock().instant(),
                                console.clock().getZone()),
                        preflight.getRequestedBy());
    }

    /** A line for each node, and one for each action of it that would fail. */
    static ConsoleTable nodesTable(Preflight preflight) {
        ConsoleTable table = new ConsoleTable("NODE", "RESULT", "ACTION", "REASON", "WHY");
        for (NodePreflight node : preflight.getNodesList()) {
            String result = EnumNames.of(node.getResult());
            List<PreflightCheck> failing =
                    node.getChecksList().stream().filter(check -> !check.getOk()).toList();
            if (failing.isEmpty() || !node.getReason().isEmpty()) {
                table.addRow(node.getNodeId(), result, "", node.getReason(), node.getSentence());
            }
            for (PreflightCheck check : failing) {
                table.addRow(
                        node.getNodeId(),
                        result,
                        check.getAction(),
                        check.getReason(),
                        check.getSentence());
            }
        }
        return table;
    }

    /** Those that a person should look at; the others say nothing. */
    static Preflight withoutPassedNodes(Preflight preflight) {
        Preflight.Builder some = preflight.toBuilder().clearNodes();
        preflight.getNodesList().stream()
                .filter(node -> node.getResult() != PreflightResult.PREFLIGHT_RESULT_OK)
                .forEach(some::addNodes);
        return some.build();
    }
}
