package drover.coordinator.store.check;

import drover.coordinator.store.rollout.HistoryEntry;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Rules about nodes in flight, late failures and rollbacks (A21 to A23), for one history. A24 and
 * the order of restores depend on the health of nodes whose state does not tell it, which a history
 * does not have: a rollback leaves an unhealthy node {@code succeeded} until its turn.
 */
final class NodeHealthHistoryRules {
    private static final Set<String> IN_FLIGHT =
            Set.of("assigned", "upgrading", "settling", "restoring", "restored");

    private final DeclaredLimits limits;
    private final BiConsumer<String, HistoryEntry> violations;
    private final Map<String, String> states = new HashMap<>(); // of nodes
    private final Map<String, Instant> restoredAt = new HashMap<>();
    private final Set<String> unacknowledged = new HashSet<>(); // nodes that are late failures
    private final Set<String> promoted = new HashSet<>(); // batches
    private boolean rollingBack;
    private boolean forced;

    NodeHealthHistoryRules(DeclaredLimits limits, BiConsumer<String, HistoryEntry> violations) {
        this.limits = limits;
        this.violations = violations;
        this.forced = limits.ignoresFailures();
    }

    /** A row of the rollout itself. */
    void checkRollout(HistoryEntry row) {
        switch (row.to()) {
            case "rolling_back" -> rollingBack = true;
            case "running", "awaiting_approval" -> rollingBack = false;
            default -> {} // a pause keeps what it interrupted
        }
        switch (row.because().code()) {
            case "RESUMED" -> unacknowledged.clear();
            case "FORCED" -> forced = true;
            default -> {} // accepts no failure
        }
    }

    /** A row of a batch. */
    void checkBatch(HistoryEntry row) {
        if (row.to().equals("promoted")) {
            promoted.add(row.subject());
        } else {
            promoted.remove(row.subject());
        }
    }

    /** A row of a node. */
    void checkNode(HistoryEntry row) {
        if (row.from().equals(row.to())) {
            return;
        }
        states.put(row.node(), row.to());
        unacknowledged.remove(row.node());
        switch (row.to()) {
            case "unhealthy" -> unacknowledged.add(row.node());
            case "restored" -> restoredAt.put(row.node(), row.at());
            case "assigned" -> checkAssigned(row);
            case "restoring" -> checkRestoring(row);
            default -> {} // gives a node no work
        }
    }

    private void checkAssigned(HistoryEntry row) {
        checkInFlight(row);
        if (!forced && !unacknowledged.isEmpty()) {
            violations.accept("A22: given work while unhealthy are " + unacknowledged, row);
        }
    }

    /** A node that returns from an outage continues: the leader does not give it work. */
    private void checkRestoring(HistoryEntry row) {
        if (row.from().equals("unreachable")) {
            return;
        }
        checkInFlight(row);
        if (!rollingBack) {
            return; // the health gate of the upgrade restores it
        }
        long awaited =
                states.entrySet().stream()
                        .filter(node -> node.getValue().equals("restored"))
                        .filter(node -> isEarlier(restoredAt.get(node.getKey()), row))
                        .count();
        if (awaited > 0) {
            violations.accept("A23: restored while awaiting the health of " + awaited, row);
        }
    }

    private void checkInFlight(HistoryEntry row) {
        if (IN_FLIGHT.contains(row.from())) {
            return; // a rollback may find more in flight than it may restore at once
        }
        long inFlight = states.values().stream().filter(IN_FLIGHT::contains).count();
        int most = rollingBack ? limits.rollback() : limits.ofBatch(currentBatch());
        if (inFlight > most) {
            violations.accept("A21: in flight are " + inFlight + ", at most " + most, row);
        }
    }

    /** Index of the first batch that is not promoted. */
    private int currentBatch() {
        int index = 0;
        while (promoted.contains(HistoryInvariants.BATCH + (index + 1))) {
            index++;
        }
        return index;
    }

    private static boolean isEarlier(@Nullable Instant at, HistoryEntry row) {
        return at != null && at.isBefore(row.at());
    }
}
