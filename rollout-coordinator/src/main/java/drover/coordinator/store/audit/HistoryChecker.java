package drover.coordinator.store.audit;

import drover.coordinator.store.sql.StoreUnavailable;
import java.util.List;
import java.util.Optional;

/**
 * Histories as chains of hashes, checked (invariant G2). All methods throw {@link
 * StoreUnavailable}.
 */
public interface HistoryChecker {
    /** What a history is of. */
    enum HistoryKind {
        /** A rollout. */
        ROLLOUT,
        /** A group of rollouts. */
        GROUP,
        /** All keys: one history. */
        KEYS
    }

    /** What can be wrong. */
    enum HistoryProblem {
        /** The row does not say what it said when it was written. */
        MODIFIED,
        /** The row does not follow the one before it. */
        BROKEN_CHAIN,
        /** The last row is not the one that was written last. */
        TRUNCATED,
        /** A key is not what its history says, or is not told of at all. */
        KEY_MISMATCH
    }

    /**
     * One place that is wrong.
     *
     * @param seq the row's number; 0 when the end, or all of it, is missing
     * @param key the key that is not as told; empty for every other problem
     */
    record ChainBreak(long seq, HistoryProblem problem, String key) {
        /** A place in a history itself. */
        ChainBreak(long seq, HistoryProblem problem) {
            this(seq, problem, "");
        }
    }

    /**
     * A history that was checked whole.
     *
     * @param id of what it is; empty for that of the keys
     * @param rows how many it has
     * @param breaks the first 100
     */
    record CheckedHistory(HistoryKind kind, String id, long rows, List<ChainBreak> breaks) {
        public CheckedHistory {
            breaks = List.copyOf(breaks);
        }
    }

    /**
     * Checks the next history of a kind, by id.
     *
     * @param after the id of the one before; empty for the first
     * @return nothing when there is none
     */
    Optional<CheckedHistory> checkNext(HistoryKind of, String after);
}
