package drover.coordinator.trace;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One attempt on a node while the node's history is gone through. Lives for one call. */
final class AttemptTimeline {
    /** What it is, and so what its span hangs on. */
    sealed interface Role {
        /** An upgrade, in the batch in flight. */
        record Upgrade(int batch) implements Role {}

        /** The node was unwell on the target; within its upgrade. */
        record RestoreWithinUpgrade() implements Role {}

        /** A part of an operator's rollback. */
        record Rollback(int number) implements Role {}
    }

    final TracedAttempt attempt;
    final Role role;
    final HistoryEntryForSpans start;
    private final List<HistoryEntryForSpans> moves = new ArrayList<>();
    private @Nullable HistoryEntryForSpans end;
    private HistoryEntryForSpans last;

    AttemptTimeline(TracedAttempt attempt, Role role, HistoryEntryForSpans start) {
        this.attempt = attempt;
        this.role = role;
        this.start = start;
        this.last = start;
    }

    boolean isOpen() {
        return end == null;
    }

    /**
     * A move of the node while it lasts; after its end it may still be a late word of its agent.
     */
    void addTransition(HistoryEntryForSpans row) {
        if (isOpen()) {
            moves.add(row);
        }
        last = row;
    }

    void setEnd(HistoryEntryForSpans row) {
        end = row;
        last = row;
    }

    @Nullable HistoryEntryForSpans end() {
        return end;
    }

    /** The last row of history that told of it. */
    HistoryEntryForSpans lastEntry() {
        return last;
    }

    List<HistoryEntryForSpans> transitions() {
        return moves;
    }

    /** Whether the last thing heard before its end is that nothing is heard. */
    boolean isUnreachable() {
        return !moves.isEmpty() && moves.getLast().to().equals("unreachable");
    }
}
