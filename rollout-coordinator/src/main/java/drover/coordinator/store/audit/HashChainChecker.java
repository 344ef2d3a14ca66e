package drover.coordinator.store.audit;

import drover.coordinator.store.audit.HistoryChecker.ChainBreak;
import drover.coordinator.store.audit.HistoryChecker.HistoryProblem;
import drover.coordinator.store.rollout.HistoryEntry;
import java.util.ArrayList;
import java.util.List;

/**
 * Follows a chain, row by row. After a break it goes on from what the row claims, so that one edit
 * is one finding and the next is found as well.
 */
final class HashChainChecker {
    private static final int MOST = 100; // a person reads a few; a table that was replaced has all

    private final List<ChainBreak> breaks = new ArrayList<>();
    private String previous = "";
    private boolean started;
    private long rows;

    /** What the chain stands on; only the first word counts. */
    void setBaseHashIfUnset(String base) {
        if (!started) {
            started = true;
            previous = base;
        }
    }

    /** Takes the next row, with the hashes that stand in it. */
    void checkRow(long seq, String claimedPrevious, String claimed, HistoryEntry row) {
        if (!claimedPrevious.equals(previous)) {
            addBreak(seq, HistoryProblem.BROKEN_CHAIN);
        } else if (!row.hashAfter(previous).equals(claimed)) {
            addBreak(seq, HistoryProblem.MODIFIED);
        }
        previous = claimed;
        rows++;
    }

    /** Compares the end with the one that was recorded with the last append. */
    void checkHead(String head) {
        if (!head.equals(previous)) {
            addBreak(0, HistoryProblem.TRUNCATED);
        }
    }

    private void addBreak(long seq, HistoryProblem problem) {
        if (breaks.size() < MOST) {
            breaks.add(new ChainBreak(seq, problem));
        }
    }

    long rowCount() {
        return rows;
    }

    List<ChainBreak> breaks() {
        return breaks;
    }
}
