package drover.coordinator.plan.model;

import drover.model.UpgradePhase;
import java.util.Locale;

/** The words that states and phases have in the database, in REST and on screens: the seed's. */
public final class StateNameFormatter {
    private StateNameFormatter() {}

    /** For example {@code awaiting_approval}. */
    public static String of(RolloutState state) {
        return toSnakeCase(state.getClass().getSimpleName());
    }

    /**
     * For example {@code failed_rollback}; a canary under observation is still {@code settling}.
     */
    public static String of(NodeState state) {
        return state instanceof NodeState.Observed
                ? "settling"
                : toSnakeCase(state.getClass().getSimpleName());
    }

    /** For example {@code promoted}. */
    public static String of(BatchPhase phase) {
        return phase.name().toLowerCase(Locale.ROOT);
    }

    /** For example {@code preparing}. */
    public static String of(UpgradePhase phase) {
        return phase.name().toLowerCase(Locale.ROOT);
    }

    /** {@code 1 node}, {@code 2 nodes}. */
    public static String formatNodeCount(int count) {
        return count == 1 ? "1 node" : count + " nodes";
    }

    private static String toSnakeCase(String simpleName) {
        return simpleName.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }
}
