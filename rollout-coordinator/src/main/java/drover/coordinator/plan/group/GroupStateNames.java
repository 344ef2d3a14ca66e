package drover.coordinator.plan.group;

import java.util.Locale;

/** The words that a group's states have in the database, in REST and on screens. */
public final class GroupStateNames {
    private GroupStateNames() {}

    /** For example {@code rolling_back}. */
    public static String of(GroupState state) {
        return state.getClass()
                .getSimpleName()
                .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                .toLowerCase(Locale.ROOT);
    }
}
