package drover.coordinator.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Decides which spans are to be sent: those that ended with one of the rows of history after a
 * mark. Rollout → batch → node → action; a rollback is a span beside the batches, a restore of a
 * node that was unwell a part of that node's span. Pure: same history, same spans.
 */
public final class SpanAssembler {
    private final TracedRollout rollout;
    private final SpanIds ids;
    private final RolloutTimeline course;
    private final long after;
    private final long through;
    private final List<FinishedSpan> spans = new ArrayList<>();

    private SpanAssembler(TracedRollout rollout, long after, long through) {
        this.rollout = rollout;
        this.ids = new SpanIds(rollout.traceId());
        this.course = new RolloutTimeline(rollout.history());
        this.after = after;
        this.through = through;
    }

    /**
     * The spans that ended after one row of history and not later than another.
     *
     * @param after the mark: spans that ended up to this row have been sent
     * @param through the last row that counts
     */
    public static List<FinishedSpan> spansEndedBetween(
            TracedRollout rollout, long after, long through) {
        SpanAssembler plan = new SpanAssembler(rollout, after, through);
        if (!plan.course.isEmpty()) {
            plan.addNodeSpans();
            plan.addBatchSpans();
            plan.addRollbackSpans();
            plan.addRolloutSpan();
        }
        return List.copyOf(plan.spans);
    }

    private boolean isInRange(HistoryEntryForSpans row) {
        return row.seq() > after && row.seq() <= through;
    }

    private void addRolloutSpan() {
        HistoryEntryForSpans start = course.startOrCreation();
        course.endAfter(rollout.history().getFirst().seq() - 1)
                .filter(this::isInRange)
                .ifPresent(
                        end ->
                                addSpan(
                                        ids.rollout(),
                                        "",
                                        "rollout",
                                        start,
                                        end,
                                        rollout.attributes(),
                                        course.entriesBetween(start, end),
                                        end.to().equals("failed") ? end.sentence() : ""));
    }

    private void addRollbackSpans() {
        for (RolloutTimeline.Rollback rollback : course.rollbacks()) {
            HistoryEntryForSpans end = rollback.end();
            if (end != null && isInRange(end)) {
                addSpan(
                        ids.rollback(rollback.number()),
                        ids.rollout(),
                        "rollback",
                        rollback.start(),
                        end,
                        Map.of("drover.actor", rollback.start().actor()),
                        course.entriesBetween(rollback.start(), end),
                        end.to().equals("failed") ? end.sentence() : "");
            }
        }
    }

    private void addBatchSpans() {
        for (int index : course.startedBatchIndexes()) {
            List<HistoryEntryForSpans> rows = course.entriesOfBatch(index);
            HistoryEntryForSpans start = rows.getFirst();
            Optional<HistoryEntryForSpans> promoted =
                    rows.stream().filter(row -> row.to().equals("promoted")).findFirst();
            promoted.or(() -> course.endOrRollbackAfter(start))
                    .filter(this::isInRange)
                    .ifPresent(end -> addBatchSpan(index, rows, end));
        }
    }

    private void addBatchSpan(
            int index, List<HistoryEntryForSpans> rows, HistoryEntryForSpans end) {
        HistoryEntryForSpans start = rows.getFirst();
        Map<String, Object> attributes =
                Map.of(
                        "drover.batch",
                        (long) index + 1,
                        "drover.batch.canary",
                        index == rollout.canary());
        addSpan(
                ids.batch(index),
                ids.rollout(),
                "batch",
                start,
                end,
                attributes,
                RolloutTimeline.entriesBetween(rows, start, end),
                "");
    }

    private void addNodeSpans() {
        Map<String, List<TracedAttempt>> attempts =
                rollout.attempts().stream().collect(Collectors.groupingBy(TracedAttempt::node));
        rollout.history().stream()
                .filter(row -> !row.node().isEmpty())
                .collect(
                        Collectors.groupingBy(
                                HistoryEntryForSpans::node, TreeMap::new, Collectors.toList()))
                .forEach(
                        (node, rows) ->
                                NodeAttemptSplitter.splitIntoAttempts(
                                                course,
                                                rows,
                                                attempts.getOrDefault(node, List.of()))
                                        .forEach(this::addAttemptSpan));
    }

    private void addAttemptSpan(AttemptTimeline attempt) {
        HistoryEntryForSpans end = attempt.end();
        if (end == null) {
            return;
        }
        if (isInRange(end)) {
            addSpan(
                    ids.attempt(attempt.attempt.node(), attempt.attempt.attempt()),
                    parentSpanId(attempt),
                    attempt.role instanceof AttemptTimeline.Role.RestoreWithinUpgrade
                            ? "restore"
                            : "node",
                    attempt.start,
                    end,
                    attributes(attempt),
                    attempt.transitions(),
                    failureText(attempt, end));
        }
        if (attempt.attempt.closed() && (isInRange(end) || isInRange(attempt.lastEntry()))) {
            addActionSpans(attempt.attempt);
        }
    }

    private String parentSpanId(AttemptTimeline attempt) {
        return switch (attempt.role) {
            case AttemptTimeline.Role.Upgrade(int batch) ->
                    course.entriesOfBatch(batch).isEmpty() ? ids.rollout() : ids.batch(batch);
            case AttemptTimeline.Role.RestoreWithinUpgrade restore ->
                    ids.attempt(attempt.attempt.node(), attempt.attempt.restoreOf());
            case AttemptTimeline.Role.Rollback(int number) -> ids.rollback(number);
        };
    }

    private static Map<String, Object> attributes(AttemptTimeline attempt) {
        Map<String, Object> attributes = new TreeMap<>();
        attributes.put("drover.node.id", attempt.attempt.node());
        attributes.put("drover.attempt", attempt.attempt.attempt());
        if (attempt.attempt.restoreOf() != 0) {
            attributes.put("drover.restore_of", attempt.attempt.restoreOf());
        }
        return attributes;
    }

    /**
     * Silence until the end is a failure; a restore after which the node counts as failed is none.
     */
    private static String failureText(AttemptTimeline attempt, HistoryEntryForSpans end) {
        if (end.isOfRollout()) {
            return attempt.isUnreachable() ? attempt.transitions().getLast().sentence() : "";
        }
        boolean failed =
                end.to().equals("failed_rollback")
                        || (end.to().equals("failed")
                                && !(attempt.role
                                        instanceof AttemptTimeline.Role.RestoreWithinUpgrade));
        return failed ? end.sentence() : "";
    }

    private void addActionSpans(TracedAttempt attempt) {
        String parent = ids.attempt(attempt.node(), attempt.attempt());
        for (int i = 0; i < attempt.actions().size(); i++) {
            TracedAttempt.Action action = attempt.actions().get(i);
            spans.add(
                    new FinishedSpan(
                            rollout.traceId(),
                            ids.action(attempt.node(), attempt.attempt(), i),
                            parent,
                            action.name(),
                            action.start(),
                            action.end(),
                            Map.of(
                                    "drover.rollout.id",
                                    rollout.id(),
                                    "drover.node.id",
                                    attempt.node(),
                                    "drover.attempt",
                                    attempt.attempt(),
                                    "drover.outcome",
                                    action.outcome()),
                            List.of(),
                            action.failureDetail()));
        }
    }

    private void addSpan(
            String id,
            String parent,
            String name,
            HistoryEntryForSpans start,
            HistoryEntryForSpans end,
            Map<String, Object> own,
            List<HistoryEntryForSpans> moves,
            String failure) {
        Map<String, Object> attributes = new TreeMap<>(own);
        attributes.put("drover.rollout.id", rollout.id());
        attributes.put("drover.outcome", end.to());
        attributes.put("drover.reason", end.code());
        spans.add(
                new FinishedSpan(
                        rollout.traceId(),
                        id,
                        parent,
                        name,
                        start.at(),
                        end.at(),
                        attributes,
                        moves.stream().map(HistoryEntryForSpans::toSpanEvent).toList(),
                        failure));
    }
}
