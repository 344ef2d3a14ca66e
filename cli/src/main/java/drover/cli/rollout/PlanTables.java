package drover.cli.rollout;

import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.Table;
import drover.cli.terminal.TimeFormat;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.PlannedSkip;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.UnhealthyNode;
import java.util.List;

/** Plans as tables. */
final class PlanTables {
    private static final int NODES_NAMED = 8; // of a batch on a screen; --output json has them all

    private PlanTables() {}

    static void show(RolloutPlan plan, Console console) {
        if (plan.getRollback()) {
            RollbackTables.show(plan, console);
        } else {
            upgrade(plan, console);
        }
    }

    private static void upgrade(RolloutPlan plan, Console console) {
        Rollout rollout = plan.getRollout();
        boolean created = !rollout.getId().isEmpty();
        console.printLine(
                created
                        ? "What remains of rollout %s:".formatted(rollout.getId())
                        : "What this rollout would do; nothing is created:");
        console.printLine("");
        line(console, "what", RolloutTables.what(rollout));
        line(console, "where", RolloutTables.where(rollout));
        line(console, "strategy", RolloutTables.strategy(rollout));
        line(console, "order", RolloutTables.order(rollout));
        line(console, "tolerates", RolloutTables.tolerates(rollout));
        line(console, "on failure", EnumNames.of(rollout.getOnFailure()));
        line(console, "rollback", RolloutTables.rollbackHealth(rollout));
        line(console, "finish by", RolloutTables.finishBy(rollout, console));
        line(console, "start", RolloutTables.twoPersonRule(rollout));
        line(console, "nodes", nodes(plan));
        line(console, "migration", EnumNames.of(rollout.getMigrationType()));
        line(console, "way back", rollbackGuarantee(plan));
        line(console, "takes", takes(plan));
        if (!plan.getPlanHash().isEmpty()) {
            line(console, "plan", plan.getPlanHash());
        }
        line(console, "preflight", PreflightTables.summary(plan.getPreflight(), console));
        batches(plan, console);
        skips(plan, console);
        unhealthy(plan, console);
        preflight(plan, console);
        plan.getWarningsList()
                .forEach(
                        warning -> {
                            console.printLine("");
                            console.printLine(
                                    "Warning %s: %s"
                                            .formatted(
                                                    warning.getCode(),
                                                    Style.plain(warning.getSentence())));
                        });
    }

    private static void line(Console console, String name, String value) {
        RolloutTables.line(console, name, value);
    }

    private static String nodes(RolloutPlan plan) {
        int open = plan.getBatchesList().stream().mapToInt(PlannedBatch::getNodeIdsCount).sum();
        return "%d of %d in %d batches, %d skipped"
                .formatted(
                        open,
                        plan.getRollout().getTotalNodes(),
                        plan.getBatchesCount(),
                        plan.getSkipsList().stream().filter(skip -> !skip.getMayChange()).count());
    }

    private static String rollbackGuarantee(RolloutPlan plan) {
        List<String> stuck = plan.getNotRollbackableNodeIdsList();
        return EnumNames.of(plan.getRollout().getRollbackTier())
                + (stuck.isEmpty() ? "" : ", but not for " + named(stuck));
    }

    static String takes(RolloutPlan plan) {
        String basis =
                plan.getMeasuredFrom() == 0
                        ? "nothing measured yet, assuming %s of work a node"
                        : "median of " + plan.getMeasuredFrom() + " measured upgrades: %s a node";
        return "about %s (%s)"
                .formatted(
                        TimeFormat.approximate(plan.getExpectedDuration()),
                        basis.formatted(TimeFormat.approximate(plan.getExpectedNodeWork())));
    }

    private static void batches(RolloutPlan plan, Console console) {
        Table table = new Table("BATCH", "NODES", "TAKES", "THEN", "WHICH");
        for (PlannedBatch batch : plan.getBatchesList()) {
            table.row(
                    (batch.getIndex() + 1) + (batch.getCanary() ? " (canary)" : ""),
                    batch.getNodeIdsCount(),
                    TimeFormat.approximate(batch.getExpectedDuration()),
                    batch.getAwaitsApproval() ? "waits for approval" : "",
                    named(batch.getNodeIdsList()));
        }
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }

    private static void skips(RolloutPlan plan, Console console) {
        Table table = new Table("LEFT ALONE", "REASON", "SURE", "WHY");
        for (PlannedSkip skip : plan.getSkipsList()) {
            table.row(
                    skip.getNodeId(),
                    EnumNames.of(skip.getReason()),
                    skip.getMayChange() ? "unless it changes" : "yes",
                    skip.getSentence());
        }
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }

    static void unhealthy(RolloutPlan plan, Console console) {
        Table table = new Table("UNHEALTHY", "HEALTH", "TARGET", "WHY");
        for (UnhealthyNode node : plan.getUnhealthyNodesList()) {
            table.row(
                    node.getNodeId(),
                    EnumNames.of(node.getHealth()),
                    node.getTarget() ? "yes" : "no",
                    node.getSentence());
        }
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }

    private static void preflight(RolloutPlan plan, Console console) {
        Table table = PreflightTables.nodes(PreflightTables.failing(plan.getPreflight()));
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }

    private static String named(List<String> nodes) {
        String some = String.join(", ", nodes.stream().limit(NODES_NAMED).toList());
        int more = nodes.size() - NODES_NAMED;
        return more > 0 ? some + " and " + more + " more" : some;
    }
}
