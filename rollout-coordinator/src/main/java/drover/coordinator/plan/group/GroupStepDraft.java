package drover.coordinator.plan.group;

import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A group while its next step is being decided. Lives for one call. */
final class GroupStepDraft {
    final RolloutGroup group;
    final GroupDecisionInput view;
    final Instant now;

    private final List<RequestToComponent> steerings = new ArrayList<>();
    private final List<Transition> transitions = new ArrayList<>();
    private final Set<Integer> skipped;
    private GroupState state;
    private long step;
    private @Nullable Instant wakeAt;

    GroupStepDraft(RolloutGroup group, GroupDecisionInput view, Instant now) {
        this.group = group;
        this.view = view;
        this.now = now;
        this.state = group.state();
        this.step = group.step();
        this.skipped = new HashSet<>(group.skipped());
    }

    GroupState state() {
        return state;
    }

    GroupComponent component(int index) {
        return group.component(index);
    }

    /** A move, and with it a new step: what was asked before is not asked any more. */
    void moveGroup(GroupState next, String code, String sentence) {
        moveGroup(next, new Cause(code, sentence));
    }

    void moveGroup(GroupState next, Cause because) {
        transitions.add(
                new Transition(
                        "group",
                        null,
                        GroupStateNames.of(state),
                        GroupStateNames.of(next),
                        because));
        state = next;
        step++;
    }

    void skipComponent(int component) {
        skipped.add(component);
    }

    /** How this stands, in the present step. */
    Status requestStatus(int component, OperatorRequest request) {
        return latestRequest(component, request).status();
    }

    /** Asks this of a component unless it was asked in this step; how it stands. */
    Status requestComponentOnce(int component, OperatorRequest request) {
        GroupDecisionInput.RequestWithStatus requested = latestRequest(component, request);
        if (requested.status() instanceof Status.NotRequested) {
            steerings.add(requested.request());
        }
        return requested.status();
    }

    private GroupDecisionInput.RequestWithStatus latestRequest(
            int component, OperatorRequest request) {
        return view.latestRequest(new RequestToComponent(component, step, request, 0));
    }

    void wakeAt(Instant when) {
        wakeAt = when;
    }

    private RolloutGroup nextGroup() {
        return new RolloutGroup(group.id(), group.revision(), group.spec(), state, step, skipped);
    }

    GroupStep toStep() {
        return new GroupStep(nextGroup(), steerings, transitions, wakeAt);
    }

    GroupRequestDecision toApplied() {
        return new GroupRequestDecision.Applied(nextGroup(), transitions, steerings);
    }
}
