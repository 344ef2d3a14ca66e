package drover.coordinator.store.check;

import drover.coordinator.store.audit.HistoryChecker;
import drover.coordinator.store.rollout.HistoryEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Goes over what is written of one rollout and says what cannot have happened so, whoever led and
 * whatever was killed meanwhile. The same rules look at a real database and at a simulated one; the
 * chain of hashes is {@link HistoryChecker}' matter.
 */
public final class HistoryInvariants {
    private static final String ROLLOUT = "rollout";
    private static final String OPEN_ATTEMPT = "open";
    private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled");
    private static final Set<String> DISPATCHING = Set.of("running", "awaiting_approval");
    private static final String PHASE = "phase"; // subject of phases of attempts
    static final String BATCH = "batch ";
    private static final String PROMOTED = "promoted";
    private static final Set<String> IN_FLIGHT = Set.of("dispatching", "settling", "observing");
    private static final Set<String> VERIFIED_OR_UNCHANGED = Set.of("succeeded", "skipped");

    private final List<String> broken = new ArrayList<>();
    private final Map<String, String> open = new HashMap<>(); // subject and node -> state
    private final NodeHealthHistoryRules health;
    private long epoch;

    private HistoryInvariants(DeclaredLimits limits) {
        health =
                new NodeHealthHistoryRules(
                        limits, (violation, row) -> broken.add(violation + ", in " + row));
    }

    /** The same for a rollout of which no limits are known. */
    public static List<String> violations(List<HistoryEntry> oldestFirst) {
        return violations(oldestFirst, DeclaredLimits.UNKNOWN);
    }

    /** A sentence for each thing that is wrong; nothing when all is well. */
    public static List<String> violations(List<HistoryEntry> oldestFirst, DeclaredLimits limits) {
        HistoryInvariants rules = new HistoryInvariants(limits);
        oldestFirst.forEach(rules::check);
        return List.copyOf(rules.broken);
    }

    private void check(HistoryEntry row) {
        require(row.epoch() >= epoch, "B1: written after epoch " + epoch, row);
        epoch = Math.max(epoch, row.epoch());
        String message = row.actor() + row.because().code();
        require(
                !row.actor().isBlank() && !row.because().code().isBlank(),
                "G1: without actor or reason: " + message,
                row);
        if (row.from().equals(OPEN_ATTEMPT)) {
            return; // an attempt was closed, and no state was left for it
        }
        if (row.subject().equals(PHASE)) {
            return; // phases of several attempts; they decide nothing
        }
        String subject = row.subject() + " " + row.node();
        String before = open.put(subject, row.to());
        require(
                before == null || before.equals(row.from()),
                "G1: does not go on from " + before,
                row);
        if (row.subject().equals(ROLLOUT)) {
            checkFinalState(row);
            checkCompleted(row);
            health.checkRollout(row);
        } else if (row.subject().startsWith(BATCH)) {
            checkBatchOrder(row);
            health.checkBatch(row);
        } else {
            checkDispatch(row);
            health.checkNode(row);
        }
    }

    private void checkDispatch(HistoryEntry row) {
        String rollout = open.getOrDefault(ROLLOUT + " ", "");
        require(
                !row.to().equals("assigned") || DISPATCHING.contains(rollout),
                "A12: given work while the rollout is " + rollout,
                row);
    }

    /** Of an end there is one way out, and of a rollback's none (A17). */
    private void checkFinalState(HistoryEntry row) {
        require(!row.from().equals("rolled_back"), "A17: left its last state", row);
        require(
                !ENDED.contains(row.from()) || row.to().equals("rolling_back"),
                "A17: left its end",
                row);
    }

    /** Every node that had a part in it was proven at the target or left alone (A11). */
    private void checkCompleted(HistoryEntry row) {
        List<String> left =
                open.entrySet().stream()
                        .filter(one -> one.getKey().startsWith("node "))
                        .filter(one -> !VERIFIED_OR_UNCHANGED.contains(one.getValue()))
                        .map(one -> one.getKey() + " is " + one.getValue())
                        .toList();
        require(
                !row.to().equals("completed") || left.isEmpty(),
                "A11: completed while " + String.join(", ", left),
                row);
    }

    /** A batch is begun after the gate of the one before has passed, and alone (A1, A5). */
    private void checkBatchOrder(HistoryEntry row) {
        int number = Integer.parseInt(row.subject().substring(BATCH.length()));
        String before = open.getOrDefault(BATCH + (number - 1) + " ", PROMOTED);
        require(
                !row.from().equals("pending") || before.equals(PROMOTED),
                "A5: begun while the batch before it is " + before,
                row);
        List<String> inFlight =
                open.entrySet().stream()
                        .filter(one -> one.getKey().startsWith(BATCH))
                        .filter(one -> IN_FLIGHT.contains(one.getValue()))
                        .map(Map.Entry::getKey)
                        .sorted()
                        .toList();
        require(inFlight.size() <= 1, "A1: in flight at once are " + inFlight, row);
    }

    private void require(boolean holds, String otherwise, HistoryEntry row) {
        if (!holds) {
            broken.add(otherwise + ", in " + row);
        }
    }
}
