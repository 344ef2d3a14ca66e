package drover.coordinator.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How the rollout itself and its batches went: when it began, was rolled back, and ended. */
final class RolloutTimeline {
    private static final Set<String> FINAL =
            Set.of("completed", "failed", "cancelled", "rolled_back");

    private final List<HistoryEntryForSpans> rollout;
    private final List<HistoryEntryForSpans> batches;
    private final List<Rollback> rollbacks;

    /**
     * From an operator's word until every touched node is proven back, or not.
     *
     * @param number from 1
     * @param end absent while it goes on
     */
    record Rollback(int number, HistoryEntryForSpans start, @Nullable HistoryEntryForSpans end) {
        boolean isUnderWayAt(HistoryEntryForSpans row) {
            return row.seq() > start.seq() && (end == null || row.seq() < end.seq());
        }
    }

    RolloutTimeline(List<HistoryEntryForSpans> history) {
        this.rollout = history.stream().filter(HistoryEntryForSpans::isOfRollout).toList();
        this.batches = history.stream().filter(HistoryEntryForSpans::isOfBatch).toList();
        this.rollbacks = rollbacks(rollout);
    }

    /** Its start; its creation when it was never started. */
    HistoryEntryForSpans startOrCreation() {
        return rollout.stream()
                .filter(row -> row.to().equals("running"))
                .findFirst()
                .orElseGet(rollout::getFirst);
    }

    boolean isEmpty() {
        return rollout.isEmpty();
    }

    /** The first end after a row: a rollback may reopen what has ended. */
    Optional<HistoryEntryForSpans> endAfter(long seq) {
        return rollout.stream()
                .filter(row -> row.seq() > seq && FINAL.contains(row.to()))
                .findFirst();
    }

    /** Moves of the rollout strictly between two rows. */
    List<HistoryEntryForSpans> entriesBetween(
            HistoryEntryForSpans start, HistoryEntryForSpans end) {
        return entriesBetween(rollout, start, end);
    }

    List<Rollback> rollbacks() {
        return rollbacks;
    }

    Optional<Rollback> rollbackAt(HistoryEntryForSpans row) {
        return rollbacks.stream().filter(it -> it.isUnderWayAt(row)).findFirst();
    }

    /** How many batches have moved so far. */
    List<Integer> startedBatchIndexes() {
        return batches.stream().map(HistoryEntryForSpans::batchIndex).distinct().toList();
    }

    List<HistoryEntryForSpans> entriesOfBatch(int index) {
        return batches.stream().filter(row -> row.batchIndex() == index).toList();
    }

    /** Batches pass one after the other (A1), so the one in flight is known by those that did. */
    int batchInFlightAt(HistoryEntryForSpans row) {
        return (int)
                batches.stream()
                        .filter(it -> it.seq() < row.seq() && it.to().equals("promoted"))
                        .count();
    }

    /** Where a batch ends that never passed: with the rollout, or when the way back begins. */
    Optional<HistoryEntryForSpans> endOrRollbackAfter(HistoryEntryForSpans row) {
        return rollout.stream()
                .filter(it -> it.seq() > row.seq())
                .filter(it -> FINAL.contains(it.to()) || it.to().equals("rolling_back"))
                .findFirst();
    }

    static List<HistoryEntryForSpans> entriesBetween(
            List<HistoryEntryForSpans> rows, HistoryEntryForSpans start, HistoryEntryForSpans end) {
        return rows.stream()
                .filter(row -> row.seq() > start.seq() && row.seq() < end.seq())
                .toList();
    }

    /** A pause within a rollback, and the resuming, are part of it. */
    private static List<Rollback> rollbacks(List<HistoryEntryForSpans> rollout) {
        List<Rollback> found = new ArrayList<>();
        HistoryEntryForSpans start = null;
        for (HistoryEntryForSpans row : rollout) {
            if (start == null && row.to().equals("rolling_back")) {
                start = row;
            } else if (start != null && FINAL.contains(row.to())) {
                found.add(new Rollback(found.size() + 1, start, row));
                start = null;
            }
        }
        if (start != null) {
            found.add(new Rollback(found.size() + 1, start, null));
        }
        return List.copyOf(found);
    }
}
