package drover.coordinator.store;

import drover.coordinator.plan.Preflight;
import drover.model.RolloutId;
import java.util.Optional;

/**
 * Preflights as operators ask for them, and see them. All methods throw {@link StoreUnavailable}.
 */
public interface PreflightStore {
    /** Asks for one, in place of the latest; one that is not finished goes on instead. */
    Preflight ask(RolloutId rollout, String actor);

    /** The latest of a rollout. */
    Optional<Preflight> find(RolloutId rollout);
}
