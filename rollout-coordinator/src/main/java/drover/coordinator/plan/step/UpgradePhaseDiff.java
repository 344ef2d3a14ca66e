package drover.coordinator.plan.step;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.model.UpgradePhase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the phase of attempts within one step. They are derived from the step and are no part
 * of it: recorded decisions keep their transitions.
 */
public final class UpgradePhaseDiff {
    /** Subject of the history row of a phase change. */
    public static final String SUBJECT = "phase";

    private UpgradePhaseDiff() {}

    /** One transition for each node whose phase differs after the step. */
    public static List<Transition> between(Rollout before, Rollout after) {
        List<Transition> changes = new ArrayList<>();
        for (NodeUpgrade node : after.nodes().values()) {
            NodeUpgrade was = before.nodes().get(node.id());
            UpgradePhase phase = node.phase();
            UpgradePhase from = phaseOfAttempt(was, node.attempt());
            if (phase != null && phase != from) {
                changes.add(
                        new Transition(
                                SUBJECT,
                                node.id(),
                                from == null ? "" : StateNameFormatter.of(from),
                                StateNameFormatter.of(phase),
                                cause(node, phase)));
            }
        }
        return changes;
    }

    /** A new attempt starts without a phase. */
    private static @Nullable UpgradePhase phaseOfAttempt(@Nullable NodeUpgrade was, long attempt) {
        return was == null || was.attempt() != attempt ? null : was.phase();
    }

    private static Cause cause(NodeUpgrade node, UpgradePhase phase) {
        String action = node.progress().action();
        String at =
                phase == UpgradePhase.VERIFYING || action.isEmpty()
                        ? "."
                        : " with action " + action + ".";
        return new Cause(
                "PHASE_CHANGED",
                "Attempt " + node.attempt() + " is " + StateNameFormatter.of(phase) + at);
    }
}
