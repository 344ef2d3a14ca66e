package drover.coordinator.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells a node's history apart into its attempts. History does not carry their numbers; they are
 * allotted in order, one for each move that gives work (rule R1).
 */
final class NodeAttemptSplitter {
    /** A node that is decided. Silence decides nothing: the attempt is still open (rule R1). */
    private static final Set<String> DECIDED =
            Set.of("succeeded", "failed", "failed_rollback", "skipped", "pending", "rolled_back");

    private final RolloutTimeline course;
    private final Deque<TracedAttempt> upgrades;
    private final Deque<TracedAttempt> restores;
    private final List<AttemptTimeline> attempts = new ArrayList<>();

    private NodeAttemptSplitter(RolloutTimeline course, List<TracedAttempt> attempts) {
        this.course = course;
        this.upgrades = queueInAttemptOrder(attempts, attempt -> attempt.restoreOf() == 0);
        this.restores = queueInAttemptOrder(attempts, attempt -> attempt.restoreOf() != 0);
    }

    private static Deque<TracedAttempt> queueInAttemptOrder(
            List<TracedAttempt> attempts, Predicate<TracedAttempt> kind) {
        return new ArrayDeque<>(
                attempts.stream()
                        .filter(kind)
                        .sorted(Comparator.comparingLong(TracedAttempt::attempt))
                        .toList());
    }

    /** The attempts of one node, in order. */
    static List<AttemptTimeline> splitIntoAttempts(
            RolloutTimeline course, List<HistoryEntryForSpans> rows, List<TracedAttempt> attempts) {
        NodeAttemptSplitter node = new NodeAttemptSplitter(course, attempts);
        rows.forEach(node::applyTransition);
        node.attempts.forEach(attempt -> node.endWithRollout(attempt, Long.MAX_VALUE));
        return node.attempts;
    }

    private void applyTransition(HistoryEntryForSpans row) {
        attempts.forEach(attempt -> endWithRollout(attempt, row.seq()));
        if (row.to().equals("assigned")) {
            endOpenAttempts(row);
            startAttempt(
                    upgrades, new AttemptTimeline.Role.Upgrade(course.batchInFlightAt(row)), row);
        } else if (isRestoreStart(row)) {
            startRestore(row);
        } else if (DECIDED.contains(row.to()) && !row.from().equals(row.to())) {
            endOpenAttempts(row);
        } else if (!attempts.isEmpty()) {
            appendToOpenOrLast(row);
        }
    }

    /** The last attempt, and an upgrade that it is a part of. */
    private void appendToOpenOrLast(HistoryEntryForSpans row) {
        attempts.stream()
                .filter(AttemptTimeline::isOpen)
                .forEach(attempt -> attempt.addTransition(row));
        if (!attempts.getLast().isOpen()) {
            attempts.getLast().addTransition(row);
        }
    }

    /** One that is heard of again, or only told of, goes on with what it had. */
    private static boolean isRestoreStart(HistoryEntryForSpans row) {
        return row.to().equals("restoring")
                && !row.from().equals(row.to())
                && !row.code().equals("RETURNED");
    }

    private void startRestore(HistoryEntryForSpans row) {
        Optional<RolloutTimeline.Rollback> rollback = course.rollbackAt(row);
        if (rollback.isPresent()) {
            endOpenAttempts(row);
            startAttempt(restores, new AttemptTimeline.Role.Rollback(rollback.get().number()), row);
        } else {
            attempts.stream().filter(AttemptTimeline::isOpen).forEach(it -> it.addTransition(row));
            startAttempt(restores, new AttemptTimeline.Role.RestoreWithinUpgrade(), row);
        }
    }

    private void startAttempt(
            Deque<TracedAttempt> given, AttemptTimeline.Role role, HistoryEntryForSpans row) {
        TracedAttempt attempt = given.poll();
        if (attempt != null) {
            attempts.add(new AttemptTimeline(attempt, role, row));
        }
    }

    private void endOpenAttempts(HistoryEntryForSpans row) {
        attempts.stream().filter(AttemptTimeline::isOpen).forEach(attempt -> attempt.setEnd(row));
    }

    /** What is still open when its rollout ends, ends with it, and stays so. */
    private void endWithRollout(AttemptTimeline attempt, long before) {
        if (attempt.isOpen()) {
            course.endAfter(attempt.start.seq())
                    .filter(end -> end.seq() < before)
                    .ifPresent(attempt::setEnd);
        }
    }
}
