package drover.coordinator.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Goes over what is written of one rollout and says what cannot have happened so, whoever led and
 * whatever was killed meanwhile. The same rules look at a real database and at a simulated one; the
 * chain of hashes is {@link AuditViews}' matter.
 */
public final class HistoryRules {
    private static final String ROLLOUT = "rollout";
    private static final String OPEN_ATTEMPT = "open";
    private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled");
    private static final Set<String> DISPATCHING = Set.of("running", "awaiting_approval");

    private final List<String> broken = new ArrayList<>();
    private final Map<String, String> stands = new HashMap<>(); // subject and node -> state
    private long epoch;

    private HistoryRules() {}

    /** A sentence for each thing that is wrong; nothing when all is well. */
    public static List<String> broken(List<HistoryRow> oldestFirst) {
        HistoryRules rules = new HistoryRules();
        oldestFirst.forEach(rules::look);
        return List.copyOf(rules.broken);
    }

    private void look(HistoryRow row) {
        require(row.epoch() >= epoch, "B1: written after epoch " + epoch, row);
        epoch = Math.max(epoch, row.epoch());
        String told = row.actor() + row.because().code();
        require(
                !row.actor().isBlank() && !row.because().code().isBlank(),
                "G1: without actor or reason: " + told,
                row);
        if (row.from().equals(OPEN_ATTEMPT)) {
            return; // an attempt was closed, and no state was left for it
        }
        String subject = row.subject() + " " + row.node();
        String before = stands.put(subject, row.to());
        require(
                before == null || before.equals(row.from()),
                "G1: does not go on from " + before,
                row);
        if (row.subject().equals(ROLLOUT)) {
            onlyWayOut(row);
        } else if (row.to().equals("assigned")) {
            String rollout = stands.getOrDefault(ROLLOUT + " ", "");
            require(
                    DISPATCHING.contains(rollout),
                    "A12: given work while the rollout is " + rollout,
                    row);
        }
    }

    /** Of an end there is one way out, and of a rollback's none (A17). */
    private void onlyWayOut(HistoryRow row) {
        require(!row.from().equals("rolled_back"), "A17: left its last state", row);
        require(
                !ENDED.contains(row.from()) || row.to().equals("rolling_back"),
                "A17: left its end",
                row);
    }

    private void require(boolean holds, String otherwise, HistoryRow row) {
        if (!holds) {
            broken.add(otherwise + ", in " + row);
        }
    }
}
