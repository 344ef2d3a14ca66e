package drover.cli.rollout;

import com.google.protobuf.Timestamp;
import drover.cli.terminal.Console;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.Table;
import drover.cli.terminal.TimeFormat;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/** Rollouts as tables. */
public final class RolloutTables {
    private RolloutTables() {}

    public static void list(List<Rollout> rollouts, Console console) {
        Instant now = console.clock().instant();
        Table table =
                new Table(
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
            table.row(
                    rollout.getId(),
                    EnumNames.status(rollout.getStatus()),
                    rollout.getChainProfileId(),
                    rollout.getBinaryName(),
                    rollout.getSourceVersion(),
                    rollout.getTargetVersion(),
                    rollout.getSucceededNodes() + "/" + rollout.getTotalNodes(),
                    EnumNames.of(rollout.getRollbackTier()),
                    TimeFormat.relative(rollout.getCreatedAt(), now));
        }
        if (table.isEmpty()) {
            console.printLine("There is no such rollout. Create one with 'drover rollout create'.");
        } else {
            console.print(table);
        }
    }

    static void nodes(List<RolloutNode> nodes, Console console) {
        Instant now = console.clock().instant();
        Table table =
                new Table("NODE", "BATCH", "STATUS", "PHASE", "ACTION", "FROM", "CHANGED", "NOTE");
        for (RolloutNode node : nodes) {
            table.row(
                    node.getNodeId(),
                    node.getBatchIndex() + 1,
                    EnumNames.of(node.getStatus()),
                    EnumNames.of(node.getUpgradePhase()),
                    node.getAction(),
                    node.getPreviousVersion(),
                    TimeFormat.relative(node.getUpdatedAt(), now),
                    note(node));
        }
        console.print(table);
    }

    /** Why a node is as it is: code and sentence. */
    static String note(RolloutNode node) {
        String code =
                node.getReason().isEmpty() ? EnumNames.of(node.getSkipReason()) : node.getReason();
        String sentence = node.getErrorMessage();
        if (!sentence.isEmpty() && code.equalsIgnoreCase(EnumNames.of(node.getStatus()))) {
            return sentence; // the status has said it
        }
        return code.isEmpty() || sentence.isEmpty() ? code + sentence : code + ": " + sentence;
    }

    static void show(Rollout rollout, Console console) {
        Instant now = console.clock().instant();
        ZoneId zone = console.clock().getZone();
        line(console, "rollout", rollout.getId());
        line(
                console,
                "status",
                console.style().as(EnumNames.of(rollout.getStatus()), Statuses.shown(rollout)));
        line(console, "why", Style.plain(rollout.getExplanation()));
        line(console, "what", what(rollout));
        line(console, "where", where(rollout));
        line(console, "strategy", strategy(rollout));
        line(console, "order", order(rollout));
        line(console, "tolerates", tolerates(rollout));
        line(console, "health wait", TimeFormat.written(rollout.getHealthWaitDuration()));
        line(console, "on failure", EnumNames.of(rollout.getOnFailure()));
        line(console, "rollback", rollbackHealth(rollout));
        line(console, "finish by", finishBy(rollout, console));
        line(console, "nodes", counters(rollout));
        line(console, "incidents", incidents(rollout));
        line(console, "way back", rollbackGuarantee(rollout));
        line(console, "manifest", Style.plain(rollout.getUpgradeId()));
        line(
                console,
                "created",
                TimeFormat.shown(rollout.getCreatedAt(), now, zone)
                        + " by "
                        + rollout.getCreatedBy());
        line(console, "start", twoPersonRule(rollout));
        line(
                console,
                "approved",
                actorAndTime(rollout.getApprovedBy(), rollout.getApprovedAt(), console));
        line(
                console,
                "forced",
                actorAndTime(rollout.getForcedBy(), rollout.getForcedAt(), console));
        line(console, "started", TimeFormat.shown(rollout.getStartedAt(), now, zone));
        line(console, "time left", timeLeft(rollout));
        line(console, "preflight", PreflightTables.summary(rollout.getPreflight(), console));
        line(console, "ended", TimeFormat.shown(rollout.getFinishedAt(), now, zone));
        line(
                console,
                "history",
                rollout.hasHistoryPrunedAt()
                        ? "pruned " + TimeFormat.shown(rollout.getHistoryPrunedAt(), now, zone)
                        : "");
        batches(rollout, console);
        evidence(rollout, console);
    }

    /** Who may start it, where that is not everybody. */
    static String twoPersonRule(Rollout rollout) {
        return rollout.getTwoPersonRule().isEmpty()
                ? ""
                : "by somebody else than its creator: " + Style.plain(rollout.getTwoPersonRule());
    }

    private static void evidence(Rollout rollout, Console console) {
        if (rollout.hasEvidence()) {
            console.printLine("");
            console.printLine("Evidence " + rollout.getEvidence().getDigest() + ":");
            rollout.getEvidence()
                    .getLinesList()
                    .forEach(line -> console.printLine("  " + Style.plain(line)));
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
                .formatted(TimeFormat.approximate(rollout.getExpectedRemaining()), basis);
    }

    static String what(Rollout rollout) {
        return Style.plain(
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

    static void why(ExplainRolloutResponse answer, int limit, String past, Console console) {
        console.printLine(
                past.isEmpty()
                        ? Statuses.sentence(answer.getRollout())
                        : Statuses.sentenceAt(past, answer.getRollout()));
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

    private static Table reasons(List<Reason> reasons, Console console) {
        Table table = new Table("SINCE", "CODE", "NODE", "BY", "WHY");
        for (Reason because : reasons) {
            table.row(
                    TimeFormat.shown(
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
        return by.isEmpty() ? "" : shown(at, console) + " by " + Style.plain(by);
    }

    public static String shown(Timestamp at, Console console) {
        return TimeFormat.shown(at, console.clock().instant(), console.clock().getZone());
    }

    /** When it must be done, and whether it will be. */
    static String finishBy(Rollout rollout, Console console) {
        if (!rollout.hasFinishBy()) {
            return "";
        }
        String end =
                rollout.hasForecastEnd()
                        ? ", foreseen " + shown(rollout.getForecastEnd(), console)
                        : "";
        return shown(rollout.getFinishBy(), console)
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

    public static void line(Console console, String name, String value) {
        if (!value.isEmpty() && !value.equals("-")) {
            console.printLine(console.style().dim("%-12s".formatted(name)) + " " + value);
        }
    }

    static String where(Rollout rollout) {
        String type = rollout.getNodeType();
        return "chain " + rollout.getChainProfileId() + (type.isEmpty() ? "" : ", type " + type);
    }

    static String strategy(Rollout rollout) {
        return "%s, batches of %d, at most %d at once"
                .formatted(
                        EnumNames.of(rollout.getStrategy()),
                        rollout.getBatchSize(),
                        rollout.getMaxInFlight());
    }

    /** Order of the nodes; empty for a rollout that an earlier version of Drover shows. */
    static String order(Rollout rollout) {
        List<String> last = rollout.getLastNodeIdsList();
        return rollout.getOrder()
                + (last.isEmpty() ? "" : ", then last " + String.join(", ", last));
    }

    static String tolerates(Rollout rollout) {
        return rollout.getFailureThresholdPercent() > 0
                ? rollout.getFailureThresholdPercent() + " % failed nodes" + unhealthy(rollout)
                : rollout.getFailureThreshold() + " failed nodes" + unhealthy(rollout);
    }

    private static String unhealthy(Rollout rollout) {
        int budget = rollout.getUnhealthyBudget();
        return budget == 0 ? "" : ", " + budget + " unhealthy targets";
    }

    /** The health gate of a rollback, in a few words. */
    static String rollbackHealth(Rollout rollout) {
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
                + meaning(rollout.getRollbackTier())
                + (without == 0 ? "" : ", but " + without + " nodes cannot be brought back");
    }

    /** What a tier promises, as docs/operations.md says it at length. */
    private static String meaning(RollbackTier tier) {
        return switch (tier) {
            case ROLLBACK_TIER_TIER_1 -> ": binary and configuration come back, state is untouched";
            case ROLLBACK_TIER_TIER_2 ->
                    ": binary and configuration come back, the old program reads the new state";
            case ROLLBACK_TIER_TIER_3 ->
                    ": binary and configuration come back, the old program may not read the state";
            case ROLLBACK_TIER_UNSPECIFIED, UNRECOGNIZED -> "";
        };
    }

    private static void batches(Rollout rollout, Console console) {
        if (rollout.getBatchesCount() == 0) {
            return;
        }
        Table table = new Table("BATCH", "PHASE", "NODES", "SUCCEEDED", "FAILED");
        rollout.getBatchesList()
                .forEach(
                        batch ->
                                table.row(
                                        (batch.getIndex() + 1)
                                                + (batch.getCanary() ? " (canary)" : ""),
                                        EnumNames.status(batch.getPhase()),
                                        batch.getNodes(),
                                        batch.getSucceeded(),
                                        batch.getFailed()));
        console.printLine("");
        console.print(table);
    }
}
