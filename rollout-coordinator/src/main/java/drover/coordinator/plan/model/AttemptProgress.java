package drover.coordinator.plan.model;

import drover.model.UpgradePhase;
import org.jspecify.annotations.Nullable;

/**
 * How far the agent is, for display. Not history.
 *
 * @param phase null before the agent has said anything
 * @param action wire name of the action under way; empty when none
 * @param percent percent of that action
 */
public record AttemptProgress(@Nullable UpgradePhase phase, String action, int percent) {
    /** Nothing was said yet. */
    public static final AttemptProgress NONE = new AttemptProgress(null, "", 0);
}
