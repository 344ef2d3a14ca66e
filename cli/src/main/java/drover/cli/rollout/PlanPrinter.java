package drover.cli.rollout;

import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.rollout.v1.PlanWarning;
import drover.rollout.v1.PlannedBatch;
import drover.rollout.v1.PlannedSkip;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutPlan;
import drover.rollout.v1.UnhealthyNode;
import java.util.List;

/** Plans as tables. */
final class PlanPrinter {
    private static final int NODES_NAMED = 8; // of a batch on a screen; --output json has them all

    private PlanPrinter() {}

    static void printPlan(RolloutPlan plan, Console console) {
        if (plan.getRollback()) {
            RollbackPlanPrinter.printPlan(plan, console);
        } else {
            printUpgrade(plan, console);
        }
    }

    private static void printUpgrade(RolloutPlan plan, Console console) {
        Rollout rollout = plan.getRollout();
        boolean created = !rollout.getId().isEmpty();
        console.printLine(
                created
                        ? "What remains of rollout %s:".formatted(rollout.getId())
                        : "What this rollout would do; nothing is created:");
        console.printLine("");
        printField(console, "what", RolloutPrinter.programAndVersions(rollout));
        printField(console, "where", RolloutPrinter.chainAndNodeType(rollout));
        printField(console, "strategy", RolloutPrinter.strategyAndLimits(rollout));
        printField(console, "order", RolloutPrinter.orderText(rollout));
        printField(console, "tolerates", RolloutPrinter.toleratedFailuresText(rollout));
        printField(console, "on failure", EnumNames.of(rollout.getOnFailure()));
        printField(console, "rollback", RolloutPrinter.rollbackHealthText(rollout));
        printField(console, "finish by", RolloutPrinter.finishBy(rollout, console));
        printField(console, "start", RolloutPrinter.twoPersonRule(rollout));
        printField(
                console,
                "reason",
                plan.getStartRisk().isEmpty()
                        ? ""
                        : "required at the start, because " + Style.sanitize(plan.getStartRisk()));
        printField(console, "nodes", nodesText(plan));
        printField(console, "migration", RolloutPrinter.migrationText(rollout.getMigrationType()));
        printField(console, "way back", rollbackGuarantee(plan));
        printField(console, "takes", durationText(plan));
        if (!plan.getPlanHash().isEmpty()) {
            printField(console, "plan", plan.getPlanHash());
        }
        printField(console, "preflight", PreflightFormatter.summary(plan.getPreflight(), console));
        printBatches(plan, console);
        printSkips(plan, console);
        printUnhealthyNodes(plan.getUnhealthyNodesList(), console);
        printPreflight(plan, console);
        printWarnings(plan.getWarningsList(), console);
    }

    static void printWarnings(List<PlanWarning> warnings, Console console) {
        warnings.forEach(
                warning -> {
                    console.printLine("");
                    console.printLine(
                            "Warning %s: %s"
                                    .formatted(
                                            warning.getCode(),
                                            Style.sanitize(warning.getSentence())));
                });
    }

    private static void printField(Console console, String name, String value) {
        RolloutPrinter.printField(console, name, value);
    }

    private static String nodesText(RolloutPlan plan) {
        int open = plan.getBatchesList().stream().mapToInt(PlannedBatch::getNodeIdsCount).sum();
        long uncertain = plan.getSkipsList().stream().filter(PlannedSkip::getMayChange).count();
        return "%d of %d in %d batches, %d skipped%s"
                .formatted(
                        open,
                        plan.getRollout().getTotalNodes(),
                        plan.getBatchesCount(),
                        plan.getSkipsCount() - uncertain,
                        uncertain == 0 ? "" : ", %d more unless they change".formatted(uncertain));
    }

    private static String rollbackGuarantee(RolloutPlan plan) {
        List<String> stuck = plan.getNotRollbackableNodeIdsList();
        return EnumNames.of(plan.getRollout().getRollbackTier())
                + (stuck.isEmpty() ? "" : ", but not for " + abbreviateNodes(stuck));
    }

    static String durationText(RolloutPlan plan) {
        String basis =
                plan.getMeasuredFrom() == 0
                        ? "nothing measured yet, assuming %s of work a node"
                        : "median of " + plan.getMeasuredFrom() + " measured upgrades: %s a node";
        return "about %s (%s)"
                .formatted(
                        TimeTextConverter.approximate(plan.getExpectedDuration()),
                        basis.formatted(TimeTextConverter.approximate(plan.getExpectedNodeWork())));
    }

    private static void printBatches(RolloutPlan plan, Console console) {
        ConsoleTable table = new ConsoleTable("BATCH", "NODES", "TAKES", "THEN", "WHICH");
        for (PlannedBatch batch : plan.getBatchesList()) {
            table.addRow(
                    (batch.getIndex() + 1) + (batch.getCanary() ? " (canary)" : ""),
                    batch.getNodeIdsCount(),
                    TimeTextConverter.approximate(batch.getExpectedDuration()),
                    batch.getAwaitsApproval() ? "waits for approval" : "",
                    abbreviateNodes(batch.getNodeIdsList()));
        }
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }

    static void printSkips(RolloutPlan plan, Console console) {
        ConsoleTable table = new ConsoleTable("LEFT ALONE", "REASON", "SURE", "WHY");
        for (PlannedSkip skip : plan.getSkipsList()) {
            table.addRow(
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

    static void printUnhealthyNodes(List<UnhealthyNode> nodes, Console console) {
        ConsoleTable table = new ConsoleTable("UNHEALTHY", "HEALTH", "TARGET", "WHY");
        for (UnhealthyNode node : nodes) {
            table.addRow(
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

    private static void printPreflight(RolloutPlan plan, Console console) {
        ConsoleTable table =
                PreflightFormatter.nodesTable(
                        PreflightFormatter.withoutPassedNodes(plan.getPreflight()));
        if (!table.isEmpty()) {
            console.printLine("");
            console.print(table);
        }
    }

    private static String abbreviateNodes(List<String> nodes) {
        String some = String.join(", ", nodes.stream().limit(NODES_NAMED).toList());
        int more = nodes.size() - NODES_NAMED;
        return more > 0 ? some + " and " + more + " more" : some;
    }
}
