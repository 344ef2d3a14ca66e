package drover.cli;

import com.google.protobuf.Timestamp;
import drover.rollout.v1.Because;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.RollbackTier;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

/** Rollouts as tables. */
final class RolloutTables {
    private RolloutTables() {}

    static void list(List<Rollout> rollouts, Console console) {
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
                    Words.status(rollout.getStatus()),
                    rollout.getChainProfileId(),
                    rollout.getBinaryName(),
                    rollout.getSourceVersion(),
                    rollout.getTargetVersion(),
                    rollout.getSucceededNodes() + "/" + rollout.getTotalNodes(),
                    Words.of(rollout.getRollbackTier()),
                    Times.relative(rollout.getCreatedAt(), now));
        }
        if (table.isEmpty()) {
            console.say("There is no such rollout. Create one with 'drover rollout create'.");
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
                    Words.of(node.getStatus()),
                    Words.of(node.getUpgradePhase()),
                    node.getAction(),
                    node.getPreviousVersion(),
                    Times.relative(node.getUpdatedAt(), now),
                    note(node));
        }
        console.print(table);
    }

    /** Why a node is as it is: code and sentence. */
    static String note(RolloutNode node) {
        String code =
                node.getReason().isEmpty() ? Words.of(node.getSkipReason()) : node.getReason();
        String sentence = node.getErrorMessage();
        if (!sentence.isEmpty() && code.equalsIgnoreCase(Words.of(node.getStatus()))) {
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
                console.style().as(Words.of(rollout.getStatus()), Statuses.shown(rollout)));
        line(console, "why", Style.plain(rollout.getExplanation()));
        line(console, "what", what(rollout));
        line(console, "where", where(rollout));
        line(console, "strategy", strategy(rollout));
        line(console, "tolerates", tolerates(rollout));
        line(console, "health wait", Times.written(rollout.getHealthWaitDuration()));
        line(console, "on failure", Words.of(rollout.getOnFailure()));
        line(console, "rollback", rollbackHealth(rollout));
        line(console, "finish by", finishBy(rollout, console));
        line(console, "nodes", counters(rollout));
        line(console, "incidents", incidents(rollout));
        line(console, "way back", wayBack(rollout));
        line(console, "manifest", Style.plain(rollout.getUpgradeId()));
        line(
                console,
                "created",
                Times.shown(rollout.getCreatedAt(), now, zone) + " by " + rollout.getCreatedBy());
        line(console, "start", secondPerson(rollout));
        line(console, "approved", deed(rollout.getApprovedBy(), rollout.getApprovedAt(), console));
        line(console, "forced", deed(rollout.getForcedBy(), rollout.getForcedAt(), console));
        line(console, "started", Times.shown(rollout.getStartedAt(), now, zone));
        line(console, "time left", timeLeft(rollout));
        line(console, "preflight", PreflightTables.summary(rollout.getPreflight(), console));
        line(console, "ended", Times.shown(rollout.getFinishedAt(), now, zone));
        line(
                console,
                "history",
                rollout.hasHistoryPrunedAt()
                        ? "pruned " + Times.shown(rollout.getHistoryPrunedAt(), now, zone)
                        : "");
        batches(rollout, console);
        evidence(rollout, console);
    }

    /** Who may start it, where that is not everybody. */
    static String secondPerson(Rollout rollout) {
        return rollout.getNeedsSecondPerson().isEmpty()
                ? ""
                : "by somebody else than its creator: "
                        + Style.plain(rollout.getNeedsSecondPerson());
    }

    private static void evidence(Rollout rollout, Console console) {
        if (rollout.hasEvidence()) {
            console.say("");
            console.say("Evidence " + rollout.getEvidence().getDigest() + ":");
            rollout.getEvidence()
                    .getLinesList()
                    .forEach(line -> console.say("  " + Style.plain(line)));
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
                .formatted(Times.about(rollout.getExpectedRemaining()), basis);
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
        console.say(
                past.isEmpty()
                        ? Statuses.sentence(answer.getRollout())
                        : Statuses.sentenceAt(past, answer.getRollout()));
        console.say("");
        if (answer.getNowCount() == 0) {
            console.say("It waits for nothing.");
        } else {
            console.say(past.isEmpty() ? "Now:" : "At " + past + ":");
            console.print(reasons(answer.getNowList(), console));
        }
        if (answer.getHistoryCount() > 0) {
            console.say("");
            console.say("Before, newest first:");
            console.print(reasons(answer.getHistoryList(), console));
        }
        if (answer.getHistoryCount() >= limit) {
            console.say("");
            console.say(
                    "There may be earlier entries: --limit "
                            + Math.min(1_000, limit * 5)
                            + " shows more.");
        }
    }

    private static Table reasons(List<Because> reasons, Console console) {
        Table table = new Table("SINCE", "CODE", "NODE", "BY", "WHY");
        for (Because because : reasons) {
            table.row(
                    Times.shown(
                            because.getAt(), console.clock().instant(), console.clock().getZone()),
                    because.getCode(),
                    because.getNodeId(),
                    because.getActor(),
                    because.getSentence());
        }
        return table;
    }

    /** Who did it and when; empty when nobody did. */
    static String deed(String by, Timestamp at, Console console) {
        return by.isEmpty() ? "" : shown(at, console) + " by " + Style.plain(by);
    }

    static String shown(Timestamp at, Console console) {
        return Times.shown(at, console.clock().instant(), console.clock().getZone());
    }

    /** When it must be done, and whether it will be. */
    static String finishBy(Rollout rollout, Console console) {
        if (!rollout.hasFinishBy()) {
            return "";
        }
        String end =
                rollout.hasForeseenEnd()
                        ? ", foreseen " + shown(rollout.getForeseenEnd(), console)
                        : "";
        return shown(rollout.getFinishBy(), console) + ": " + Words.of(rollout.getPace()) + end;
    }

    private static String incidents(Rollout rollout) {
        return rollout.getOpenIncidents() == 0
                ? ""
                : rollout.getOpenIncidents()
                        + " open, see 'drover incident list --rollout "
                        + rollout.getId()
                        + "'";
    }

    static void line(Console console, String name, String value) {
        if (!value.isEmpty() && !value.equals("-")) {
            console.say(console.style().dim("%-12s".formatted(name)) + " " + value);
        }
    }

    static String where(Rollout rollout) {
        String type = rollout.getNodeType();
        return "chain " + rollout.getChainProfileId() + (type.isEmpty() ? "" : ", type " + type);
    }

    static String strategy(Rollout rollout) {
        return "%s, batches of %d, at most %d at once"
                .formatted(
                        Words.of(rollout.getStrategy()),
                        rollout.getBatchSize(),
                        rollout.getMaxInFlight());
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

    private static String wayBack(Rollout rollout) {
        int without = rollout.getNotRollbackableNodes();
        return Words.of(rollout.getRollbackTier())
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
                                        Words.status(batch.getPhase()),
                                        batch.getNodes(),
                                        batch.getSucceeded(),
                                        batch.getFailed()));
        console.say("");
        console.print(table);
    }
}
