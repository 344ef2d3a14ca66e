package drover.coordinator.store.preflight;

import drover.coordinator.plan.preflight.LatestPreflight;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.util.Optional;

/**
 * Preflights as operators ask for them, and see them. All methods throw {@link StoreUnavailable}.
 */
public interface PreflightStore {
    /** Asks for one, in place of the latest; one that is not finished goes on instead. */
    LatestPreflight requestPreflight(RolloutId rollout, String actor);

    /** The latest of a rollout. */
    Optional<LatestPreflight> find(RolloutId rollout);
}
