package drover.cli.rollout;

import drover.cli.terminal.Console;
import drover.cli.terminal.Table;
import drover.cli.terminal.TimeFormat;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;

/** Plans of rollbacks as tables. */
final class RollbackTables {
    private RollbackTables() {}

    static void show(RolloutPlan plan, Console console) {
        Rollout rollout = plan.getRollout();
        console.printLine(
                "What a rollback of rollout %s would do; nothing is changed:"
                        .formatted(rollout.getId()));
        console.printLine("");
        RolloutTables.line(console, "what", RolloutTables.what(rollout));
        RolloutTables.line(console, "where", RolloutTables.where(rollout));
        RolloutTables.line(console, "health", RolloutTables.rollbackHealth(rollout));
        RolloutTables.line(console, "order", "unhealthy nodes first, then the newest batch first");
        RolloutTables.line(console, "nodes", nodes(plan));
        RolloutTables.line(console, "takes", PlanTables.takes(plan));
        restores(plan, console);
        PlanTables.unhealthy(plan, console);
        if (plan.getNotRollbackableNodeIdsCount() > 0) {
            console.printLine("");
            console.printLine(
                    "Cannot be restored: "
                            + String.join(", ", plan.getNotRollbackableNodeIdsList())
                            + ".");
        }
    }

    private static String nodes(RolloutPlan plan) {
        int restored = plan.getBatchesList().stream().mapToInt(PlannedBatch::getNodeIdsCount).sum();
        return "%d of %d to restore, at most %d at once"
                .formatted(
                        restored,
                        plan.getRollout().getTotalNodes(),
                        Math.min(
                                plan.getRollout().getBatchSize(),
                                plan.getRollout().getMaxInFlight()));
    }

    private static void restores(RolloutPlan plan, Console console) {
        Table table = new Table("RESTORE", "NODES", "TAKES", "WHICH");
        for (PlannedBatch group : plan.getBatchesList()) {
            table.row(
                    group.getIndex() + 1,
                    group.getNodeIdsCount(),
                    TimeFormat.approximate(group.getExpectedDuration()),
                    String.join(", ", group.getNodeIdsList()));
        }
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }
}
