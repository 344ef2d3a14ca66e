package drover.cli.rollout;

import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;

/** Plans of rollbacks as tables. */
final class RollbackPlanPrinter {
    private RollbackPlanPrinter() {}

    static void printPlan(RolloutPlan plan, Console console) {
        Rollout rollout = plan.getRollout();
        console.printLine(
                "What a rollback of rollout %s would do; nothing is changed:"
                        .formatted(rollout.getId()));
        console.printLine("");
        RolloutPrinter.printField(console, "what", RolloutPrinter.programAndVersions(rollout));
        RolloutPrinter.printField(console, "where", RolloutPrinter.chainAndNodeType(rollout));
        RolloutPrinter.printField(console, "health", RolloutPrinter.rollbackHealthText(rollout));
        RolloutPrinter.printField(
                console, "order", "unhealthy nodes first, then the newest batch first");
        RolloutPrinter.printField(console, "nodes", nodesText(plan));
        RolloutPrinter.printField(console, "takes", PlanPrinter.durationText(plan));
        printRestores(plan, console);
        PlanPrinter.printSkips(plan, console);
        PlanPrinter.printUnhealthyNodes(plan.getUnhealthyNodesList(), console);
        if (plan.getNotRollbackableNodeIdsCount() > 0) {
            console.printLine("");
            console.printLine(
                    "Cannot be restored: "
                            + String.join(", ", plan.getNotRollbackableNodeIdsList())
                            + ".");
        }
    }

    private static String nodesText(RolloutPlan plan) {
        int restored = plan.getBatchesList().stream().mapToInt(PlannedBatch::getNodeIdsCount).sum();
        return "%d of %d to restore, at most %d at once"
                .formatted(
                        restored,
                        plan.getRollout().getTotalNodes(),
                        Math.min(
                                plan.getRollout().getBatchSize(),
                                plan.getRollout().getMaxInFlight()));
    }

    private static void printRestores(RolloutPlan plan, Console console) {
        ConsoleTable table = new ConsoleTable("RESTORE", "NODES", "TAKES", "WHICH");
        for (PlannedBatch group : plan.getBatchesList()) {
            table.addRow(
                    group.getIndex() + 1,
                    group.getNodeIdsCount(),
                    TimeTextConverter.approximate(group.getExpectedDuration()),
                    String.join(", ", group.getNodeIdsList()));
        }
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }
}
