package drover.opsagent.script;

import drover.model.AttemptOutcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides what is kept of attempts that are over: every way back that can still be asked for, and
 * little else (D8, I6). Changes of a program lie on one another: whoever takes back the newest may
 * then ask for the one below it, down to the first. Taking one back ends it and all above it.
 */
public final class WaysBack {
    static final int DEEPEST = 20; // changes of a program on one another: years, at one a month
    static final int OTHERS = 20; // journals besides, of each kind, to be looked at

    private WaysBack() {}

    /** Attempts that a restore may still name: of each program those whose changes stand. */
    public static Set<Long> askable(List<PastAttempt> past) {
        Map<String, Deque<Long>> standing = new HashMap<>();
        for (PastAttempt one : past) {
            Deque<Long> changes = standing.computeIfAbsent(one.program(), _ -> new ArrayDeque<>());
            while (one.backTo() != 0 && !changes.isEmpty() && changes.getLast() >= one.backTo()) {
                changes.removeLast();
            }
            if (one.stands()) {
                changes.addLast(one.attempt());
            }
        }
        Set<Long> askable = new HashSet<>();
        for (Deque<Long> changes : standing.values()) {
            changes.stream().skip(Math.max(0, changes.size() - DEEPEST)).forEach(askable::add);
        }
        return askable;
    }

    /**
     * Attempts whose journal stays: what can be asked for, what waits to be cleared, and the latest
     * {@value #OTHERS} of those that changed the node and of those that did not, counted apart:
     * neither refusals nor failures push a way back out. An attempt that went back counts as one
     * that changed, so that it outlives what it took back.
     *
     * @param past in the order of their numbers
     * @param clearedThrough failures up to this attempt were cleared by a person
     */
    public static Set<Long> journals(List<PastAttempt> past, long clearedThrough) {
        Set<Long> kept = askable(past);
        int changed = 0;
        int others = 0;
        for (PastAttempt one : past.reversed()) {
            if (kept.contains(one.attempt()) || one.isStuck(clearedThrough)) {
                kept.add(one.attempt());
                continue;
            }
            int rank = one.mutated() || one.backTo() != 0 ? ++changed : ++others;
            if (rank <= OTHERS) {
                kept.add(one.attempt());
            }
        }
        return kept;
    }

    /**
     * Attempts whose backup stays. One that cannot be asked for goes only when a later change of
     * its program stands that has a complete backup of its own, and never while an attempt of the
     * program is open or waits to be cleared: a person may need any of them then.
     *
     * @param past in the order of their numbers
     * @param complete attempts whose backup is complete
     * @param clearedThrough failures up to this attempt were cleared by a person
     */
    public static Set<Long> backups(
            List<PastAttempt> past, Set<Long> complete, long clearedThrough) {
        Set<Long> askable = askable(past);
        Set<Long> journals = journals(past, clearedThrough);
        Map<String, Long> spentBefore = spentBefore(past, complete, clearedThrough);
        Set<Long> kept = new HashSet<>(complete); // one without a journal is for a person to judge
        for (PastAttempt one : past) {
            boolean latest =
                    journals.contains(one.attempt())
                            && one.attempt() >= spentBefore.getOrDefault(one.program(), 0L);
            if (latest || askable.contains(one.attempt())) {
                kept.add(one.attempt());
            } else {
                kept.remove(one.attempt());
            }
        }
        return kept;
    }

    private static Map<String, Long> spentBefore(
            List<PastAttempt> past, Set<Long> complete, long clearedThrough) {
        Map<String, Long> before = new HashMap<>();
        Set<Long> askable = askable(past);
        for (PastAttempt one : past) {
            boolean sure =
                    one.outcome() == AttemptOutcome.SUCCEEDED && askable.contains(one.attempt());
            if (sure && complete.contains(one.attempt())) {
                before.put(one.program(), one.attempt());
            }
        }
        for (PastAttempt one : past) {
            if (!one.outcome().isTerminal() || one.isStuck(clearedThrough)) {
                before.remove(one.program());
            }
        }
        return before;
    }
}
