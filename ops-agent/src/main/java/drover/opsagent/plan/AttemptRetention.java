package drover.opsagent.plan;

import drover.model.AttemptOutcome;
import drover.opsagent.journal.AttemptRetentionFacts;
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
public final class AttemptRetention {
    static final int MAX_RESTORABLE =
            20; // changes of a program on one another: years, at one a month
    static final int MAX_OTHER_JOURNALS = 20; // journals besides, of each kind, to be looked at

    private AttemptRetention() {}

    /** Attempts that a restore may still name: of each program those whose changes stand. */
    public static Set<Long> restorableAttempts(List<AttemptRetentionFacts> past) {
        Map<String, Deque<Long>> retained = new HashMap<>();
        for (AttemptRetentionFacts one : past) {
            Deque<Long> changes = retained.computeIfAbsent(one.program(), _ -> new ArrayDeque<>());
            while (one.restoredThrough() != 0
                    && !changes.isEmpty()
                    && changes.getLast() >= one.restoredThrough()) {
                changes.removeLast();
            }
            if (one.mayBeInstalled()) {
                changes.addLast(one.attempt());
            }
        }
        Set<Long> askable = new HashSet<>();
        for (Deque<Long> changes : retained.values()) {
            changes.stream()
                    .skip(Math.max(0, changes.size() - MAX_RESTORABLE))
                    .forEach(askable::add);
        }
        return askable;
    }

    /**
     * Attempts whose journal stays: what can be asked for, what waits to be cleared, and the latest
     * {@value #MAX_OTHER_JOURNALS} of those that changed the node and of those that did not,
     * counted apart: neither refusals nor failures push a way back out. An attempt that went back
     * counts as one that changed, so that it outlives what it took back.
     *
     * @param past in the order of their numbers
     * @param clearedThrough failures up to this attempt were cleared by a person
     */
    public static Set<Long> retainedJournals(
            List<AttemptRetentionFacts> past, long clearedThrough) {
        Set<Long> kept = restorableAttempts(past);
        int changed = 0;
        int others = 0;
        for (AttemptRetentionFacts one : past.reversed()) {
            if (kept.contains(one.attempt()) || one.needsClear(clearedThrough)) {
                kept.add(one.attempt());
                continue;
            }
            int rank = one.modifiedNode() || one.restoredThrough() != 0 ? ++changed : ++others;
            if (rank <= MAX_OTHER_JOURNALS) {
                kept.add(one.attempt());
            }
        }
        return kept;
    }

    /**
     * Attempts whose backup stays. One that cannot be asked for goes only when a later change of
     * its program stands that has a complete backup of its own, and never while an attempt of the
     * program is open or waits to be cleared: a person may need any of them then. One of an attempt
     * that failed before it changed anything goes at once.
     *
     * @param past in the order of their numbers
     * @param complete attempts whose backup is complete
     * @param clearedThrough failures up to this attempt were cleared by a person
     */
    public static Set<Long> retainedBackups(
            List<AttemptRetentionFacts> past, Set<Long> complete, long clearedThrough) {
        Set<Long> askable = restorableAttempts(past);
        Set<Long> journals = retainedJournals(past, clearedThrough);
        Map<String, Long> spentBefore = supersedingAttempts(past, complete, clearedThrough);
        Set<Long> kept = new HashSet<>(complete); // one without a journal is for a person to judge
        for (AttemptRetentionFacts one : past) {
            boolean latest =
                    journals.contains(one.attempt())
                            && one.attempt() >= spentBefore.getOrDefault(one.program(), 0L);
            if (!hasFailedUnchanged(one) && (latest || askable.contains(one.attempt()))) {
                kept.add(one.attempt());
            } else {
                kept.remove(one.attempt());
            }
        }
        return kept;
    }

    /** Its backup is a copy of what is installed. */
    private static boolean hasFailedUnchanged(AttemptRetentionFacts one) {
        return one.outcome() == AttemptOutcome.FAILED && !one.modifiedNode();
    }

    private static Map<String, Long> supersedingAttempts(
            List<AttemptRetentionFacts> past, Set<Long> complete, long clearedThrough) {
        Map<String, Long> before = new HashMap<>();
        Set<Long> askable = restorableAttempts(past);
        for (AttemptRetentionFacts one : past) {
            boolean sure =
                    one.outcome() == AttemptOutcome.SUCCEEDED && askable.contains(one.attempt());
            if (sure && complete.contains(one.attempt())) {
                before.put(one.program(), one.attempt());
            }
        }
        for (AttemptRetentionFacts one : past) {
            if (!one.outcome().isTerminal() || one.needsClear(clearedThrough)) {
                before.remove(one.program());
            }
        }
        return before;
    }
}
