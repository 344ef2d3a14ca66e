package drover.coordinator.plan.group;

import drover.model.ChainProfileId;
import java.util.List;

/**
 * What a group was created with. Frozen (invariant A19).
 *
 * @param strategy word of the strategy that components without one of their own have; empty when
 *     each names its own
 * @param components in the order in which they are upgraded
 */
public record GroupSpec(
        ChainProfileId chain,
        GroupFailurePolicy policy,
        String strategy,
        List<GroupComponent> components) {
    public GroupSpec {
        components = List.copyOf(components);
    }
}
