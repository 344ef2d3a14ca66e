package drover.coordinator.store.export;

import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.trace.HistoryEntryForSpans;
import drover.model.RolloutId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is read to make spans, and the mark of what has been sent. All methods throw {@link
 * StoreUnavailable}.
 */
public interface SpanHistoryStore {
    /**
     * Rollouts with history beyond their mark, oldest first. Those that ended more than a day ago
     * are left out: nobody wants last year's traces when they are first switched on.
     *
     * @param aside those that this leader leaves to another; they take nobody's turn
     */
    List<RolloutWithUnsentSpans> findDue(Set<RolloutId> aside);

    /** The next rows beyond the mark, with what is needed to understand them; empty for none. */
    Optional<HistoryPage> readPage(RolloutWithUnsentSpans due);

    /** Moves the mark forward, never back; false when another leader has taken over. */
    boolean advanceMark(long epoch, RolloutId id, long through);

    /** A store with nothing to send. */
    static SpanHistoryStore empty() {
        return new SpanHistoryStore() {
            @Override
            public List<RolloutWithUnsentSpans> findDue(Set<RolloutId> aside) {
                return List.of();
            }

            @Override
            public Optional<HistoryPage> readPage(RolloutWithUnsentSpans due) {
                return Optional.empty();
            }

            @Override
            public boolean advanceMark(long epoch, RolloutId id, long through) {
                return true;
            }
        };
    }

    /**
     * A rollout with something to send.
     *
     * @param through last row of history that has been sent
     */
    record RolloutWithUnsentSpans(RolloutId id, long through) {}

    /**
     * A part of a rollout's history, whole for all that it is about.
     *
     * @param attributes of the rollout, for example {@code drover.chain}
     * @param canary index of the canary batch; -1 when there is none
     * @param history rows up to {@code through}: of the rollout, its batches, and the nodes told of
     * @param through last row that counts
     */
    record HistoryPage(
            String traceId,
            Map<String, Object> attributes,
            int canary,
            List<HistoryEntryForSpans> history,
            List<StoredAttempt> attempts,
            long through) {}

    /**
     * An attempt with its report as the agent sent it.
     *
     * @param restoreOf the attempt that it undoes; 0 for an upgrade
     */
    @SuppressWarnings("ArrayRecordComponent") // parsed by the loop, never compared
    record StoredAttempt(
            String node, long attempt, long restoreOf, boolean closed, byte[] report) {}
}
