package drover.coordinator.announce;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which event a row of history is. Every state change of a rollout and of a batch is one,
 * every status change of a node after its creation, and every phase change of its attempts. A node
 * that joins another batch, or is skipped at creation, has no event. An incident is an event when
 * it is opened and when it is resolved. Pure.
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
        if (row.isIncident()) {
            return ofIncident(row).map(kind -> new Announcement(kind, row));
        }
        if (row.isRollout()) {
            return Optional.of(new Announcement(ofRollout(row), row));
        }
        if (row.isBatch()) {
            return Optional.of(new Announcement(Kind.PROGRESS, row));
        }
        if (row.isPhase()) {
            return Optional.of(new Announcement(Kind.UPGRADE_PHASE_CHANGED, row));
        }
        boolean silent = row.from().isEmpty() || row.from().equals(row.to());
        return silent ? Optional.empty() : Optional.of(new Announcement(ofNode(row), row));
    }

    private static Optional<Kind> ofIncident(Happened row) {
        return switch (row.to()) {
            case "open" -> Optional.of(Kind.INCIDENT_OPENED);
            case "resolved" -> Optional.of(Kind.INCIDENT_RESOLVED);
            default -> Optional.empty(); // a state of a later version
        };
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
        return DECIDED.contains(row.to()) ? Kind.UPGRADE_COMPLETED : Kind.UPGRADE_STATUS_CHANGED;
    }
}
