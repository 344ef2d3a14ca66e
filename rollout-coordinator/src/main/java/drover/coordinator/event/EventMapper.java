package drover.coordinator.event;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which event a row of history is. Every state change of a rollout and of a batch is one,
 * every status change of a node after its creation, and every phase change of its attempts. A node
 * that joins another batch, or is skipped at creation, has no event. An incident is an event when
 * it is opened and when it is resolved. Pure.
 */
public final class EventMapper {
    private static final Set<String> DECIDED =
            Set.of("succeeded", "failed", "failed_rollback", "rolled_back");

    private EventMapper() {}

    /** The events of rows, in their order. */
    public static List<RolloutEvent> of(List<EventHistoryEntry> rows) {
        return rows.stream().flatMap(row -> of(row).stream()).toList();
    }

    /** The event of one row; empty when it is none. */
    public static Optional<RolloutEvent> of(EventHistoryEntry row) {
        if (row.isIncident()) {
            return incidentKind(row).map(kind -> new RolloutEvent(kind, row));
        }
        if (row.isRollout()) {
            return Optional.of(new RolloutEvent(rolloutKind(row), row));
        }
        if (row.isBatch()) {
            return Optional.of(new RolloutEvent(EventKind.PROGRESS, row));
        }
        if (row.isPhase()) {
            return Optional.of(new RolloutEvent(EventKind.UPGRADE_PHASE_CHANGED, row));
        }
        boolean unpublished = row.from().isEmpty() || row.from().equals(row.to());
        return unpublished ? Optional.empty() : Optional.of(new RolloutEvent(nodeKind(row), row));
    }

    private static Optional<EventKind> incidentKind(EventHistoryEntry row) {
        return switch (row.to()) {
            case "open" -> Optional.of(EventKind.INCIDENT_OPENED);
            case "resolved" -> Optional.of(EventKind.INCIDENT_RESOLVED);
            default -> Optional.empty(); // a state of a later version
        };
    }

    private static EventKind rolloutKind(EventHistoryEntry row) {
        if (row.from().equals(row.to())) {
            return EventKind.PROGRESS;
        }
        return switch (row.to()) {
            case "pending" -> EventKind.CREATED;
            case "running" -> runningKind(row);
            case "awaiting_approval" ->
                    row.from().equals("paused") ? EventKind.RESUMED : EventKind.AWAITING_APPROVAL;
            case "paused" -> EventKind.PAUSED;
            case "cancelling" -> EventKind.CANCELLING;
            case "cancelled" -> EventKind.CANCELLED;
            case "completed" -> EventKind.COMPLETED;
            case "failed" -> EventKind.FAILED;
            case "rolling_back" ->
                    row.code().equals("RESUMED") ? EventKind.RESUMED : EventKind.ROLLBACK_STARTED;
            case "rolled_back" -> EventKind.ROLLED_BACK;
            default -> EventKind.PROGRESS; // a state of a later version
        };
    }

    private static EventKind runningKind(EventHistoryEntry row) {
        return switch (row.from()) {
            case "pending" -> EventKind.STARTED;
            case "paused" -> EventKind.RESUMED;
            default -> row.code().equals("APPROVED") ? EventKind.APPROVED : EventKind.PROGRESS;
        };
    }

    private static EventKind nodeKind(EventHistoryEntry row) {
        if (row.to().equals("assigned")) {
            return EventKind.UPGRADE_STARTED;
        }
        return DECIDED.contains(row.to())
                ? EventKind.UPGRADE_COMPLETED
                : EventKind.UPGRADE_STATUS_CHANGED;
    }
}
