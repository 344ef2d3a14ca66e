package drover.coordinator.plan.group;

import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.RefusalCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a group's decisions are made from: its components, what it asked of them, and the gate, all
 * of one moment.
 *
 * @param components in their order
 * @param requestStatuses what the group asked so far, by key
 * @param resumption why the paused component would refuse the resume that is being decided; empty
 *     when it would not, and outside of such a decision
 * @param superseded why the group's work cannot be undone any more; empty when it can
 */
public record GroupDecisionInput(
        List<ComponentRolloutSummary> components,
        Map<String, Status> requestStatuses,
        GroupGateStatus gate,
        Optional<RequestDecision.Refused> resumption,
        String superseded) {
    private static final Status NOT_REQUESTED = new Status.NotRequested();

    public GroupDecisionInput {
        components = List.copyOf(components);
        requestStatuses = Map.copyOf(requestStatuses);
    }

    ComponentRolloutSummary component(int index) {
        return components.get(index);
    }

    /**
     * The latest attempt at this; one that was dropped because it waited too long was none.
     *
     * @param steering what would be asked
     */
    RequestWithStatus latestRequest(RequestToComponent steering) {
        RequestToComponent latest = steering;
        Status status = requestStatus(latest);
        while (status instanceof Status.Refused(RefusalCode code, var sentence)
                && code == RefusalCode.REQUEST_EXPIRED) { // ends: as many as were written down
            latest = latest.asRetry();
            status = requestStatus(latest);
        }
        return new RequestWithStatus(latest, status);
    }

    private Status requestStatus(RequestToComponent steering) {
        return requestStatuses.getOrDefault(steering.idempotencyKey(), NOT_REQUESTED);
    }

    /** What was, or would be, asked, and how it stands. */
    record RequestWithStatus(RequestToComponent request, Status status) {}
}
