package drover.coordinator.announce;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which event a row of history is. Every move of a rollout and of a batch is one, and every
 * move of a node that had its turn; where a node was merely put into another batch, or was left
 * alone from the beginning, nothing happened to it. Pure.
 */
public final class Announcements {
    private static final Set<String> DECIDED =
            Set.of("succeeded", "failed", "failed_rollback", "rolled_back");

    private Announcements() {}

    /** The events of rows, in their order. */
    public static List<Announcement> of(List<Happened> rows) {
        return rows.stream().flatMap(row -> of(row).stream()).toList();
    }

    /** The event of one row; empty when it is none. */
    public static Optional<Announcement> of(Happened row) {
        if (row.isRollout()) {
            return Optional.of(new Announcement(ofRollout(row), row));
        }
        if (row.isBatch()) {
            return Optional.of(new Announcement(Kind.PROGRESS, row));
        }
        boolean silent = row.from().isEmpty() || row.from().equals(row.to());
        return silent ? Optional.empty() : Optional.of(new Announcement(ofNode(row), row));
    }

    private static Kind ofRollout(Happened row) {
        if (row.from().equals(row.to())) {
            return Kind.PROGRESS;
        }
        return switch (row.to()) {
            case "pending" -> Kind.CREATED;
            case "running" -> ofRunning(row);
            case "awaiting_approval" ->
                    row.from().equals("paused") ? Kind.RESUMED : Kind.AWAITING_APPROVAL;
            case "paused" -> Kind.PAUSED;
            case "cancelling" -> Kind.CANCELLING;
            case "cancelled" -> Kind.CANCELLED;
            case "completed" -> Kind.COMPLETED;
            case "failed" -> Kind.FAILED;
            case "rolling_back" ->
                    row.code().equals("RESUMED") ? Kind.RESUMED : Kind.ROLLBACK_STARTED;
            case "rolled_back" -> Kind.ROLLED_BACK;
            default -> Kind.PROGRESS; // a state of a later version
        };
    }

    private static Kind ofRunning(Happened row) {
        return switch (row.from()) {
            case "pending" -> Kind.STARTED;
            case "paused" -> Kind.RESUMED;
            default -> row.code().equals("APPROVED") ? Kind.APPROVED : Kind.PROGRESS;
        };
    }

    private static Kind ofNode(Happened row) {
        if (row.to().equals("assigned")) {
            return Kind.UPGRADE_STARTED;
        }
        return DECIDED.contains(row.to()) ? Kind.UPGRADE_COMPLETED : Kind.UPGRADE_PHASE_CHANGED;
    }
}
