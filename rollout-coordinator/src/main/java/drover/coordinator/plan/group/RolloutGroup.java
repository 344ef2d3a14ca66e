package drover.coordinator.plan.group;

import drover.model.GroupId;
import java.util.Set;

/**
 * A group: what was asked for and where it stands. Immutable.
 *
 * @param revision grows with every commit
 * @param step grows with every move; what is asked of a component is asked once a step, whatever
 *     happens to the leader
 * @param skipped components that an operator gave up
 */
public record RolloutGroup(
        GroupId id,
        long revision,
        GroupSpec spec,
        GroupState state,
        long step,
        Set<Integer> skipped) {
    public RolloutGroup {
        skipped = Set.copyOf(skipped);
    }

    /** A component by its place. */
    public GroupComponent component(int index) {
        return spec.components().get(index);
    }

    /** Whether it is the last one. */
    public boolean isLast(int index) {
        return index == spec.components().size() - 1;
    }

    /** The same group after a commit. */
    public RolloutGroup withNextRevision() {
        return new RolloutGroup(id, revision + 1, spec, state, step, skipped);
    }
}
