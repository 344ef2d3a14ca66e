package drover.coordinator.plan.group;

import drover.coordinator.plan.Decision;
import drover.coordinator.plan.group.Steering.Standing;
import drover.model.RefusalCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a group's decisions are made from: its components, what it asked of them, and the gate, all
 * of one moment.
 *
 * @param components in their order
 * @param steerings what the group asked so far, by key
 * @param resumption why the paused component would refuse the resume that is being decided; empty
 *     when it would not, and outside of such a decision
 * @param superseded why the group's work cannot be undone any more; empty when it can
 */
public record GroupView(
        List<ComponentView> components,
        Map<String, Standing> steerings,
        GateView gate,
        Optional<Decision.Refused> resumption,
        String superseded) {
    private static final Standing NOT_ASKED = new Standing.NotAsked();

    public GroupView {
        components = List.copyOf(components);
        steerings = Map.copyOf(steerings);
    }

    ComponentView component(int index) {
        return components.get(index);
    }

    /**
     * The latest attempt at this; one that was dropped because it waited too long was none.
     *
     * @param steering what would be asked
     */
    Asked asked(Steering steering) {
        Steering latest = steering;
        Standing standing = standing(latest);
        while (standing instanceof Standing.Refused(RefusalCode code, var sentence)
                && code == RefusalCode.REQUEST_EXPIRED) { // ends: as many as were written down
            latest = latest.again();
            standing = standing(latest);
        }
        return new Asked(latest, standing);
    }

    private Standing standing(Steering steering) {
        return steerings.getOrDefault(steering.key(), NOT_ASKED);
    }

    /** What was, or would be, asked, and how it stands. */
    record Asked(Steering steering, Standing standing) {}
}
