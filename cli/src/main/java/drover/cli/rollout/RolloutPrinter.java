package drover.cli.rollout;

import com.google.protobuf.Timestamp;
import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.manifest.v1.MigrationType;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/** Rollouts as tables. */
public final class RolloutPrinter {
    private RolloutPrinter() {}

    public static void printList(List<Rollout> rollouts, Console console) {
        Instant now = console.clock().instant();
        ConsoleTable table =
                new ConsoleTable(
                        "ROLLOUT",
                        "STATUS",
                        "CHAIN",
                        "PROGRAM",
                        "FROM",
                        "TO",
                        "NODES",
                        "WAY BACK",
                        "CREATED");
        for (Rollout rollout : rollouts) {
            table.addRow(
                    rollout.getId(),
                    EnumNames.nameOrUnknown(rollout.getStatus()),
                    rollout.getChainProfileId(),
                    rollout.getBinaryName(),
                    rollout.getSourceVersion(),
                    rollout.getTargetVersion(),
                    rollout.getSucceededNodes() + "/" + rollout.getTotalNodes(),
                    EnumNames.of(rollout.getRollbackTier()),
                    TimeTextConverter.relative(rollout.getCreatedAt(), now));
        }
        if (table.isEmpty()) {
            console.printLine("There is no such rollout. Create one with 'drover rollout create'.");
        } else {
            console.print(table);
        }
    }

    static void printNodes(List<RolloutNode> nodes, Console console) {
        Instant now = console.clock().instant();
        ConsoleTable table =
                new ConsoleTable(
                        "NODE", "BATCH", "STATUS", "PHASE", "ACTION", "FROM", "CHANGED", "NOTE");
        for (RolloutNode node : nodes) {
            table.addRow(
                    node.getNodeId(),
                    node.getBatchIndex() + 1,
                    EnumNames.of(node.getStatus()),
                    EnumNames.of(node.getUpgradePhase()),
                    node.getAction(),
                    node.getPreviousVersion(),
                    TimeTextConverter.relative(node.getUpdatedAt(), now),
                    nodeNote(node));
        }
        console.print(table);
    }

    /** Why a node is as it is: code and sentence. */
    static String nodeNote(RolloutNode node) {
        String code =
                node.getReason().isEmpty() ? EnumNames.of(node.getSkipReason()) : node.getReason();
        String sentence = node.getErrorMessage();
        if (!sentence.isEmpty() && code.equalsIgnoreCase(EnumNames.of(node.getStatus()))) {
            return sentence; // the status has said it
        }
        return code.isEmpty() || sentence.isEmpty() ? code + sentence : code + ": " + sentence;
    }

    static void printRollout(Rollout rollout, Console console) {
        Instant now = console.clock().instant();
        ZoneId zone = console.clock().getZone();
        printField(console, "rollout", rollout.getId());
        printField(
                console,
                "status",
                console.style()
                        .colorizeByWord(
                                EnumNames.of(rollout.getStatus()),
                                RolloutStatusRules.statusText(rollout)));
        printField(console, "why", Style.sanitize(rollout.getExplanation()));
        printField(console, "what", programAndVersions(rollout));
        printField(console, "where", chainAndNodeType(rollout));
        printField(console, "strategy", strategyAndLimits(rollout));
        printField(console, "order", orderText(rollout));
        printField(console, "tolerates", toleratedFailuresText(rollout));
        printField(
                console,
                "health wait",
                TimeTextConverter.formatSeconds(rollout.getHealthWaitDuration()));
        printField(console, "on failure", EnumNames.of(rollout.getOnFailure()));
        printField(console, "rollback", rollbackHealthText(rollout));
        printField(console, "finish by", finishBy(rollout, console));
        printField(console, "nodes", counters(rollout));
        printField(console, "incidents", incidents(rollout));
        printField(console, "way back", rollbackGuarantee(rollout));
        printField(console, "manifest", Style.sanitize(rollout.getUpgradeId()));
        printField(
                console,
                "created",
                TimeTextConverter.formatWithAge(rollout.getCreatedAt(), now, zone)
                        + " by "
                        + rollout.getCreatedBy());
        printField(console, "start", twoPersonRule(rollout));
        printField(
                console,
                "approved",
                actorAndTime(rollout.getApprovedBy(), rollout.getApprovedAt(), console));
        printField(
                console,
                "forced",
                actorAndTime(rollout.getForcedBy(), rollout.getForcedAt(), console));
        printField(
                console,
                "started",
                TimeTextConverter.formatWithAge(rollout.getStartedAt(), now, zone));
        printField(console, "time left", timeLeft(rollout));
        printField(
                console, "preflight", PreflightFormatter.summary(rollout.getPreflight(), console));
        printField(
                console,
                "ended",
                TimeTextConverter.formatWithAge(rollout.getFinishedAt(), now, zone));
        printField(
                console,
                "history",
                rollout.hasHistoryPrunedAt()
                        ? "pruned "
                                + TimeTextConverter.formatWithAge(
                                        rollout.getHistoryPrunedAt(), now, zone)
                        : "");
        printBatches(rollout, console);
        printEvidence(rollout, console);
    }

    /** Who may start it, where that is not everybody. */
    static String twoPersonRule(Rollout rollout) {
        return rollout.getTwoPersonRule().isEmpty()
                ? ""
                : "by somebody else than its creator: "
                        + Style.sanitize(rollout.getTwoPersonRule());
    }

    private static void printEvidence(Rollout rollout, Console console) {
        if (rollout.hasEvidence()) {
            console.printLine("");
            console.printLine("Evidence " + rollout.getEvidence().getDigest() + ":");
            rollout.getEvidence()
                    .getLinesList()
                    .forEach(line -> console.printLine("  " + Style.sanitize(line)));
        }
    }

    /** How long it still takes if nothing fails; empty when it does not move by itself. */
    static String timeLeft(Rollout rollout) {
        if (!rollout.hasExpectedRemaining()) {
            return "";
        }
        String basis =
                rollout.getMeasuredFrom() == 0
                        ? "nothing measured yet"
                        : "from " + rollout.getMeasuredFrom() + " measured upgrades";
        return "about %s if nothing fails, %s"
                .formatted(TimeTextConverter.approximate(rollout.getExpectedRemaining()), basis);
    }

    static int decidedNodes(Rollout rollout) {
        return rollout.getTotalNodes() - rollout.getPendingNodes();
    }

    /** For example {@code 4 of 7 done, about 30s left}. */
    static String progressText(Rollout rollout) {
        return "%d of %d done%s"
                .formatted(
                        decidedNodes(rollout),
                        rollout.getTotalNodes(),
                        rollout.hasExpectedRemaining()
                                ? ", about %s left"
                                        .formatted(
                                                TimeTextConverter.approximate(
                                                        rollout.getExpectedRemaining()))
                                : "");
    }

    static String programAndVersions(Rollout rollout) {
        return Style.sanitize(
                "%s %s → %s"
                        .formatted(
                                rollout.getBinaryName(),
                                rollout.getSourceVersion(),
                                rollout.getTargetVersion()));
    }

    static String counters(Rollout rollout) {
        return "%d of %d succeeded, %d failed, %d pending, %d skipped, %d rolled back"
                        .formatted(
                                rollout.getSucceededNodes(),
                                rollout.getTotalNodes(),
                                rollout.getFailedNodes(),
                                rollout.getPendingNodes(),
                                rollout.getSkippedNodes(),
                                rollout.getRolledBackNodes())
                + (rollout.getHeldNodes() == 0
                        ? ""
                        : ", of the pending " + rollout.getHeldNodes() + " held");
    }

    static void printExplanation(
            ExplainRolloutResponse answer, int limit, String past, Console console) {
        console.printLine(
                past.isEmpty()
                        ? RolloutStatusRules.statusSentence(answer.getRollout())
                        : RolloutStatusRules.pastStatusSentence(past, answer.getRollout()));
        console.printLine("");
        if (answer.getCurrentCount() == 0) {
            console.printLine("It waits for nothing.");
        } else {
            console.printLine(past.isEmpty() ? "Now:" : "At " + past + ":");
            console.print(reasons(answer.getCurrentList(), console));
        }
        if (answer.getHistoryCount() > 0) {
            console.printLine("");
            console.printLine("Before, newest first:");
            console.print(reasons(answer.getHistoryList(), console));
        }
        if (answer.getHistoryCount() >= limit) {
            console.printLine("");
            console.printLine(
                    "There may be earlier entries: --limit "
                            + Math.min(1_000, limit * 5)
                            + " shows more.");
        }
    }

    private static ConsoleTable reasons(List<Reason> reasons, Console console) {
        ConsoleTable table = new ConsoleTable("SINCE", "CODE", "NODE", "BY", "WHY");
        for (Reason because : reasons) {
            table.addRow(
                    TimeTextConverter.formatWithAge(
                            because.getAt(), console.clock().instant(), console.clock().getZone()),
                    because.getCode(),
                    because.getNodeId(),
                    because.getActor(),
                    because.getSentence());
        }
        return table;
    }

    /** Who did it and when; empty when nobody did. */
    public static String actorAndTime(String by, Timestamp at, Console console) {
        return by.isEmpty() ? "" : formatTime(at, console) + " by " + Style.sanitize(by);
    }

    public static String formatTime(Timestamp at, Console console) {
        return TimeTextConverter.formatWithAge(
                at, console.clock().instant(), console.clock().getZone());
    }

    /** When it must be done, and whether it will be. */
    static String finishBy(Rollout rollout, Console console) {
        if (!rollout.hasFinishBy()) {
            return "";
        }
        String end =
                rollout.hasForecastEnd()
                        ? ", foreseen " + formatTime(rollout.getForecastEnd(), console)
                        : "";
        return formatTime(rollout.getFinishBy(), console)
                + ": "
                + EnumNames.of(rollout.getScheduleStatus())
                + end;
    }

    private static String incidents(Rollout rollout) {
        return rollout.getOpenIncidents() == 0
                ? ""
                : rollout.getOpenIncidents()
                        + " open, see 'drover incident list --rollout "
                        + rollout.getId()
                        + "'";
    }

    public static void printField(Console console, String name, String value) {
        if (!value.isEmpty() && !value.equals("-")) {
            console.printLine(console.style().dim("%-12s".formatted(name)) + " " + value);
        }
    }

    static String chainAndNodeType(Rollout rollout) {
        String type = rollout.getNodeType();
        return "chain " + rollout.getChainProfileId() + (type.isEmpty() ? "" : ", type " + type);
    }

    static String strategyAndLimits(Rollout rollout) {
        return "%s, batches of %d, at most %d at once"
                .formatted(
                        EnumNames.of(rollout.getStrategy()),
                        rollout.getBatchSize(),
                        rollout.getMaxInFlight());
    }

    /** Order of the nodes; empty for a rollout that an earlier version of Drover shows. */
    static String orderText(Rollout rollout) {
        List<String> last = rollout.getLastNodeIdsList();
        return rollout.getOrder()
                + (last.isEmpty() ? "" : ", then last " + String.join(", ", last));
    }

    static String toleratedFailuresText(Rollout rollout) {
        return rollout.getFailureThresholdPercent() > 0
                ? rollout.getFailureThresholdPercent()
                        + " % failed nodes"
                        + unhealthyBudgetText(rollout)
                : rollout.getFailureThreshold() + " failed nodes" + unhealthyBudgetText(rollout);
    }

    private static String unhealthyBudgetText(Rollout rollout) {
        int budget = rollout.getUnhealthyBudget();
        return budget == 0 ? "" : ", " + budget + " unhealthy targets";
    }

    /** The health gate of a rollback, in a few words. */
    static String rollbackHealthText(Rollout rollout) {
        return switch (rollout.getRollbackHealth()) {
            case ROLLBACK_HEALTH_WAIT ->
                    "wait: a batch waits until the one before is healthy, at most its deadline";
            case ROLLBACK_HEALTH_ASK -> "ask: an unhealthy restored node pauses the rollback";
            case ROLLBACK_HEALTH_IGNORE -> "ignore: health of restored nodes is not waited for";
            case ROLLBACK_HEALTH_UNSPECIFIED, UNRECOGNIZED -> "";
        };
    }

    private static String rollbackGuarantee(Rollout rollout) {
        int without = rollout.getNotRollbackableNodes();
        return EnumNames.of(rollout.getRollbackTier())
                + tierMeaning(rollout.getRollbackTier())
                + (without == 0 ? "" : ", but " + without + " nodes cannot be brought back");
    }

    /** What a tier promises, as docs/operations.md says it at length. */
    private static String tierMeaning(RollbackTier tier) {
        return switch (tier) {
            case ROLLBACK_TIER_TIER_1 ->
                    ": binary and configuration come back, no state migration is declared";
            case ROLLBACK_TIER_TIER_2 ->
                    ": binary and configuration come back, the old program reads the new state";
            case ROLLBACK_TIER_TIER_3 ->
                    ": binary and configuration come back, the old program may not read the state";
            case ROLLBACK_TIER_UNSPECIFIED, UNRECOGNIZED -> "";
        };
    }

    /** Drover knows what was declared, not what the program does with its state. */
    public static String migrationText(MigrationType migration) {
        return migration == MigrationType.MIGRATION_TYPE_NONE
                ? "none declared"
                : EnumNames.of(migration);
    }

    private static void printBatches(Rollout rollout, Console console) {
        if (rollout.getBatchesCount() == 0) {
            return;
        }
        ConsoleTable table = new ConsoleTable("BATCH", "PHASE", "NODES", "SUCCEEDED", "FAILED");
        rollout.getBatchesList()
                .forEach(
                        batch ->
                                table.addRow(
                                        (batch.getIndex() + 1)
                                                + (batch.getCanary() ? " (canary)" : ""),
                                        EnumNames.nameOrUnknown(batch.getPhase()),
                                        batch.getNodes(),
                                        batch.getSucceeded(),
                                        batch.getFailed()));
        console.printLine("");
        console.print(table);
    }
}
